// What the extension host reports about its tests, one JSON line each.

export type HostResult =
  | { readonly event: 'pass'; readonly title: string; readonly ms: number }
  | { readonly event: 'hook'; readonly title: string; readonly ms: number }
  | { readonly event: 'fail'; readonly title: string; readonly ms: number; readonly error: string }
  | { readonly event: 'end' };
