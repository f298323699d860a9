/** Version of the format; another first number is another format. Apart, so that writing needs no shapes of records. */
export const EXPORT_VERSION = '1.0';
