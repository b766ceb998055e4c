// Creates fakes of classes, if the code under test uses few of their members.

/** Returns `members` as a complete T; its other members are undefined. */
export function fake<T>(members: Partial<NoInfer<T>>): NonNullable<T> {
  return members as NonNullable<T>;
}
