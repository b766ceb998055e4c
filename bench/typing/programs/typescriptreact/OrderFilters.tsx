import { useEffect, useMemo, useState } from 'react';

type Status = 'open' | 'shipped' | 'returned';

interface Order {
  id: string;
  customer: string;
  status: Status;
  total: number;
  placedAt: string;
}

interface OrderFiltersProps {
  orders: Order[];
  onSelect: (order: Order) => void;
}

const STATUSES: Status[] = ['open', 'shipped', 'returned'];

export function OrderFilters({ orders, onSelect }: OrderFiltersProps) {
  const [query, setQuery] = useState('');
  const [status, setStatus] = useState<Status | 'all'>('all');
  const [page, setPage] = useState(0);

  const filtered = useMemo(() => {
    const needle = query.trim().toLowerCase();
    return orders
      .filter((order) => status === 'all' || order.status === status)
      .filter((order) => order.customer.toLowerCase().includes(needle))
      .sort((a, b) => b.placedAt.localeCompare(a.placedAt));
  }, [orders, query, status]);

  useEffect(() => {
    setPage(0);
  }, [query, status]);

  const visible = filtered.slice(page * 20, (page + 1) * 20);
  const pages = Math.max(1, Math.ceil(filtered.length / 20));

  return (
    <section className="orders">
      <header>
        <input
          type="search"
          value={query}
          placeholder="Search customers"
          onChange={(event) => setQuery(event.target.value)}
        />
        <select value={status} onChange={(event) => setStatus(event.target.value as Status)}>
          <option value="all">All</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </header>
      <ul>
        {visible.map((order) => (
          <li key={order.id} onClick={() => onSelect(order)}>
            <strong>{order.customer}</strong>
            <span>{order.total.toFixed(2)}</span>
          </li>
        ))}
      </ul>
      {visible.length === 0 && <p>No orders match.</p>}
      <footer>
        <button disabled={page === 0} onClick={() => setPage(page - 1)}>
          Previous
        </button>
        <button disabled={page + 1 >= pages} onClick={() => setPage(page + 1)}>
          Next
        </button>
      </footer>
    </section>
  );
}
