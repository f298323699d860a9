/** A thread that compares passwords with bcrypt hashes: one comparison takes as long as thousands of requests. */
import { compareSync } from 'bcryptjs';
import { answerEach } from '../../thread/answer-each.ts';
import type { PasswordQuestion } from './verify.ts';

answerEach(({ password, hash }: PasswordQuestion) => compareSync(password, hash));
