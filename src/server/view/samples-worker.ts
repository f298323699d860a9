/** A thread that reads files of measurements: SQLite reads them at once, from a file system that may be slow. */
import { answerEach } from '../../thread/answer-each.ts';
import { readSamples, type SampleQuestion } from './read-samples.ts';

answerEach<SampleQuestion>((question) => readSamples(question));
