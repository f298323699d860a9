/** Version of the format; another major number is another format. In its own file, so that writing loads no schemas. */
export const EXPORT_VERSION = '1.0';
