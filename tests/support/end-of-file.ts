import { afterAll } from 'vitest';
import { endOfFile } from './over.ts';

// Vitest runs this once for each test file, also for files that share a process and its modules.
afterAll(endOfFile);
