package ratelimit

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// Bucket holds tokens that are refilled at a steady rate.
type Bucket struct {
	capacity float64
	tokens   float64
	rate     float64
	last     time.Time
}

func NewBucket(capacity, rate float64, now time.Time) *Bucket {
	return &Bucket{
		capacity: capacity,
		tokens:   capacity,
		rate:     rate,
		last:     now,
	}
}

// Allow takes one token, if there is one.
func (b *Bucket) Allow(now time.Time) bool {
	elapsed := now.Sub(b.last).Seconds()
	b.last = now
	b.tokens += elapsed * b.rate
	if b.tokens > b.capacity {
		b.tokens = b.capacity
	}
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// Limiter has a bucket for each client.
type Limiter struct {
	mu      sync.Mutex
	buckets map[string]*Bucket
	burst   float64
	rate    float64
	now     func() time.Time
}

func NewLimiter(burst, rate float64) *Limiter {
	return &Limiter{
		buckets: make(map[string]*Bucket),
		burst:   burst,
		rate:    rate,
		now:     time.Now,
	}
}

func (l *Limiter) Allow(client string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket, ok := l.buckets[client]
	if !ok {
		bucket = NewBucket(l.burst, l.rate, l.now())
		l.buckets[client] = bucket
	}
	return bucket.Allow(l.now())
}

// Limit answers with 429 when a client sends too much.
func (l *Limiter) Limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			host = r.RemoteAddr
		}
		if !l.Allow(host) {
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
