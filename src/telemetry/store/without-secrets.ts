/** Tokens and passwords prove who sent the data; nothing of them is stored. */
export const withoutSecrets = (raw: Buffer): Buffer =>
  Buffer.from(
    raw.toString('latin1').replaceAll(/("(?:token|sasl-password)"\s*:\s*")(?:[^"\\]|\\.)*/g, '$1removed'),
    'latin1',
  );
