// The error of a template that refuses its input by raise_exception.

export class RaisedException extends Error {}
