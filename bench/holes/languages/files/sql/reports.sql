-- Revenue of each month
SELECT
    strftime('%Y-%m', o.created_at) AS month,
    COUNT(DISTINCT o.id) AS orders,
    SUM(l.quantity * l.price_cents) / 100.0 AS revenue
FROM orders AS o
JOIN order_lines AS l ON l.order_id = o.id
WHERE o.status <> 'cancelled'
GROUP BY month
ORDER BY month;

-- Ten best customers
SELECT
    c.id,
    c.name,
    SUM(l.quantity * l.price_cents) / 100.0 AS spent
FROM customers AS c
JOIN orders AS o ON o.customer_id = c.id
JOIN order_lines AS l ON l.order_id = o.id
GROUP BY c.id, c.name
ORDER BY spent DESC
LIMIT 10;

-- Customers without an order
SELECT c.name, c.email
FROM customers AS c
LEFT JOIN orders AS o ON o.customer_id = c.id
WHERE o.id IS NULL
ORDER BY c.name;

-- Products that are nearly sold out
SELECT name, stock
FROM products
WHERE stock < 10
ORDER BY stock;

-- Share of each product in the revenue
WITH revenue AS (
    SELECT
        p.id,
        p.name,
        SUM(l.quantity * l.price_cents) AS cents
    FROM products AS p
    JOIN order_lines AS l ON l.product_id = p.id
    GROUP BY p.id, p.name
)
SELECT
    name,
    cents / 100.0 AS revenue,
    ROUND(100.0 * cents / SUM(cents) OVER (), 1) AS percent
FROM revenue
ORDER BY cents DESC;

-- Latest order of each customer
SELECT customer_id, id, created_at
FROM (
    SELECT
        customer_id,
        id,
        created_at,
        ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY created_at DESC) AS position
    FROM orders
) AS ranked
WHERE position = 1;

-- Orders by status
SELECT
    status,
    COUNT(*) AS orders
FROM orders
GROUP BY status;
