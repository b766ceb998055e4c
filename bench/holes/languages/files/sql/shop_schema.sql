CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE products (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
    stock INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'paid', 'shipped', 'cancelled')),
    created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE order_lines (
    order_id INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    product_id INTEGER NOT NULL REFERENCES products (id),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    price_cents INTEGER NOT NULL,
    PRIMARY KEY (order_id, product_id)
);

CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE INDEX order_lines_by_product ON order_lines (product_id);

CREATE VIEW order_totals AS
SELECT
    orders.id AS order_id,
    orders.customer_id,
    orders.status,
    SUM(order_lines.quantity * order_lines.price_cents) AS total_cents
FROM orders
JOIN order_lines ON order_lines.order_id = orders.id
GROUP BY orders.id, orders.customer_id, orders.status;

INSERT INTO customers (name, email) VALUES
    ('Ada Byron', 'ada@example.com'),
    ('Grace Murray', 'grace@example.com'),
    ('Alan Mathison', 'alan@example.com');

INSERT INTO products (name, price_cents, stock) VALUES
    ('Notebook', 450, 120),
    ('Pencil', 90, 800),
    ('Eraser', 60, 300);

CREATE TRIGGER take_from_stock AFTER INSERT ON order_lines
BEGIN
    UPDATE products
    SET stock = stock - NEW.quantity
    WHERE id = NEW.product_id;
END;
