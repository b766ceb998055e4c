import { useEffect, useRef, useState } from 'react';

export function useDebounced<T>(value: T, delayMs: number): T {
  const [debounced, setDebounced] = useState(value);

  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);

  return debounced;
}

interface SearchResult {
  id: string;
  title: string;
  url: string;
}

interface SearchBoxProps {
  placeholder?: string;
  search: (query: string, signal: AbortSignal) => Promise<SearchResult[]>;
}

export function SearchBox({ placeholder = 'Search', search }: SearchBoxProps) {
  const [query, setQuery] = useState('');
  const [results, setResults] = useState<SearchResult[]>([]);
  const [loading, setLoading] = useState(false);
  const inputRef = useRef<HTMLInputElement>(null);
  const debouncedQuery = useDebounced(query, 300);

  useEffect(() => {
    inputRef.current?.focus();
  }, []);

  useEffect(() => {
    if (debouncedQuery === '') {
      setResults([]);
      return;
    }
    const controller = new AbortController();
    setLoading(true);
    search(debouncedQuery, controller.signal)
      .then(setResults)
      .catch(() => setResults([]))
      .finally(() => setLoading(false));
    return () => controller.abort();
  }, [debouncedQuery, search]);

  return (
    <div className="search">
      <input
        ref={inputRef}
        value={query}
        placeholder={placeholder}
        onChange={(event) => setQuery(event.target.value)}
      />
      {loading && <p>Loading</p>}
      <ul>
        {results.map((result) => (
          <li key={result.id}>
            <a href={result.url}>{result.title}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
