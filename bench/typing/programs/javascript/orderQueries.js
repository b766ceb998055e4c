const Database = require('better-sqlite3');

const db = new Database('shop.db');
db.pragma('foreign_keys = ON');

const insertOrder = db.prepare('INSERT INTO orders (customer_id, created_at) VALUES (?, ?)');
const insertLine = db.prepare(
  'INSERT INTO order_lines (order_id, product_id, quantity, price) VALUES (?, ?, ?, ?)',
);
const selectPrice = db.prepare('SELECT price, stock FROM products WHERE id = ?');
const reduceStock = db.prepare('UPDATE products SET stock = stock - ? WHERE id = ?');

const placeOrder = db.transaction((customerId, lines) => {
  const { lastInsertRowid: orderId } = insertOrder.run(customerId, new Date().toISOString());
  for (const { productId, quantity } of lines) {
    const product = selectPrice.get(productId);
    if (!product) throw new Error(`Product ${productId} does not exist`);
    if (product.stock < quantity) throw new Error(`Only ${product.stock} left of product ${productId}`);
    insertLine.run(orderId, productId, quantity, product.price);
    reduceStock.run(quantity, productId);
  }
  return orderId;
});

function findOrder(orderId) {
  const order = db.prepare('SELECT * FROM orders WHERE id = ?').get(orderId);
  if (!order) return null;
  order.lines = db.prepare('SELECT * FROM order_lines WHERE order_id = ?').all(orderId);
  return order;
}

function bestSellers(since, limit = 5) {
  return db
    .prepare(
      `SELECT product_id, SUM(quantity) AS sold
       FROM order_lines JOIN orders ON orders.id = order_lines.order_id
       WHERE orders.created_at >= ?
       GROUP BY product_id ORDER BY sold DESC LIMIT ?`,
    )
    .all(since.toISOString(), limit);
}

module.exports = { placeOrder, findOrder, bestSellers };
