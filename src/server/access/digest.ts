/** Node's cryptography, loaded when it is used: 5 ms, and a command that makes the token of a job reads this file too. */
export const crypto = () => process.getBuiltinModule('node:crypto');

/** The SHA-256 of a text. */
export const digest = (text: string): Buffer => crypto().createHash('sha256').update(text).digest();
