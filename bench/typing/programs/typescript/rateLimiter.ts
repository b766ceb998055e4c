import type { NextFunction, Request, Response } from 'express';

interface Bucket {
  tokens: number;
  refilledAt: number;
}

export interface RateLimiterOptions {
  capacity: number;
  refillPerSecond: number;
  keyOf?: (request: Request) => string;
  now?: () => number;
}

const IDLE_MS = 10 * 60 * 1000;

export class RateLimiter {
  private readonly buckets = new Map<string, Bucket>();
  private readonly now: () => number;

  constructor(private readonly options: RateLimiterOptions) {
    if (options.capacity <= 0) {
      throw new RangeError('capacity must be positive');
    }
    this.now = options.now ?? Date.now;
  }

  take(key: string, cost = 1): boolean {
    const bucket = this.refill(key);
    if (bucket.tokens < cost) return false;
    bucket.tokens -= cost;
    return true;
  }

  retryAfter(key: string): number {
    const { tokens } = this.refill(key);
    const missing = Math.max(0, 1 - tokens);
    return Math.ceil(missing / this.options.refillPerSecond);
  }

  sweep(): number {
    const before = this.buckets.size;
    const limit = this.now() - IDLE_MS;
    for (const [key, bucket] of this.buckets) {
      if (bucket.refilledAt < limit) this.buckets.delete(key);
    }
    return before - this.buckets.size;
  }

  middleware() {
    const keyOf = this.options.keyOf ?? ((request: Request) => request.ip ?? 'unknown');
    return (request: Request, response: Response, next: NextFunction): void => {
      const key = keyOf(request);
      if (this.take(key)) {
        next();
        return;
      }
      response.setHeader('Retry-After', String(this.retryAfter(key)));
      response.status(429).json({ error: 'Too many requests' });
    };
  }

  private refill(key: string): Bucket {
    const { capacity, refillPerSecond } = this.options;
    const now = this.now();
    const bucket = this.buckets.get(key) ?? { tokens: capacity, refilledAt: now };
    const elapsed = (now - bucket.refilledAt) / 1000;
    bucket.tokens = Math.min(capacity, bucket.tokens + elapsed * refillPerSecond);
    bucket.refilledAt = now;
    this.buckets.set(key, bucket);
    return bucket;
  }
}
