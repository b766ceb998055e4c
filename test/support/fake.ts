// Fakes of classes of which the code under test uses few members.

/** Returns `members` as a complete T; its other members are undefined. */
export function fake<T>(members: Partial<NoInfer<T>>): NonNullable<T> {
  return members as NonNullable<T>;
}
