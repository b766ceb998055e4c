// The error of a template that refuses its input with raise_exception.

export class RaisedException extends Error {}
