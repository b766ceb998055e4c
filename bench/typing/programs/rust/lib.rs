use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

#[derive(Debug, Clone, PartialEq)]
pub enum CacheError {
    Full { capacity: usize },
    Expired,
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CacheError::Full { capacity } => write!(f, "cache is full ({capacity} entries)"),
            CacheError::Expired => write!(f, "entry has expired"),
        }
    }
}

impl std::error::Error for CacheError {}

struct Entry<V> {
    value: V,
    expires_at: Instant,
}

pub struct TtlCache<V> {
    entries: HashMap<String, Entry<V>>,
    capacity: usize,
    ttl: Duration,
}

impl<V: Clone> TtlCache<V> {
    pub fn new(capacity: usize, ttl: Duration) -> Self {
        Self {
            entries: HashMap::with_capacity(capacity),
            capacity,
            ttl,
        }
    }

    pub fn insert(&mut self, key: impl Into<String>, value: V) -> Result<(), CacheError> {
        self.evict_expired();
        let key = key.into();
        if self.entries.len() >= self.capacity && !self.entries.contains_key(&key) {
            return Err(CacheError::Full {
                capacity: self.capacity,
            });
        }
        let expires_at = Instant::now() + self.ttl;
        self.entries.insert(key, Entry { value, expires_at });
        Ok(())
    }

    pub fn get(&self, key: &str) -> Result<Option<V>, CacheError> {
        let Some(entry) = self.entries.get(key) else {
            return Ok(None);
        };
        if entry.expires_at < Instant::now() {
            return Err(CacheError::Expired);
        }
        Ok(Some(entry.value.clone()))
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn evict_expired(&mut self) {
        let now = Instant::now();
        self.entries.retain(|_, entry| entry.expires_at >= now);
    }
}
