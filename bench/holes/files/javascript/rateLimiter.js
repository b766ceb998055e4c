class TokenBucket {
  constructor({ capacity, refillPerSecond, now = Date.now }) {
    this.capacity = capacity;
    this.refillPerSecond = refillPerSecond;
    this.now = now;
    this.tokens = capacity;
    this.updatedAt = now();
  }

  refill() {
    const time = this.now();
    const elapsedSeconds = (time - this.updatedAt) / 1000;
    const refilled = this.tokens + elapsedSeconds * this.refillPerSecond;
    this.tokens = Math.min(this.capacity, refilled);
    this.updatedAt = time;
  }

  take(count = 1) {
    this.refill();
    if (this.tokens < count) return false;
    this.tokens -= count;
    return true;
  }

  waitMs(count = 1) {
    this.refill();
    const missing = count - this.tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / this.refillPerSecond) * 1000);
  }
}

class RateLimiter {
  constructor(options) {
    this.options = options;
    this.buckets = new Map();
  }

  bucketFor(key) {
    let bucket = this.buckets.get(key);
    if (!bucket) {
      bucket = new TokenBucket(this.options);
      this.buckets.set(key, bucket);
    }
    return bucket;
  }

  allow(key) {
    return this.bucketFor(key).take();
  }
}

function rateLimit(options) {
  const limiter = new RateLimiter(options);
  return (req, res, next) => {
    if (limiter.allow(req.ip)) {
      next();
      return;
    }
    const seconds = Math.ceil(limiter.bucketFor(req.ip).waitMs() / 1000);
    res.setHeader('Retry-After', String(seconds));
    res.status(429).json({ error: 'Too many requests' });
  };
}

module.exports = { TokenBucket, RateLimiter, rateLimit };
