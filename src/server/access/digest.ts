/** Node's cryptography, loaded when it is used: 5 ms. The server of a single command has no users and does without. */
export const crypto = () => process.getBuiltinModule('node:crypto');

/** The SHA-256 of a text. */
export const digest = (text: string): Buffer => crypto().createHash('sha256').update(text).digest();
