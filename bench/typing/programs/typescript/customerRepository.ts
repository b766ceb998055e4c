interface Database {
  query<Row>(sql: string, values?: unknown[]): Promise<Row[]>;
  transaction<Result>(work: (db: Database) => Promise<Result>): Promise<Result>;
}

interface CustomerRow {
  id: number;
  full_name: string;
  email: string;
  credit_limit: string;
}

export interface Customer {
  id: number;
  fullName: string;
  email: string;
  creditLimit: number;
}

function toCustomer(row: CustomerRow): Customer {
  return {
    id: row.id,
    fullName: row.full_name,
    email: row.email,
    creditLimit: Number(row.credit_limit),
  };
}

export class CustomerRepository {
  constructor(private readonly db: Database) {}

  async findById(id: number): Promise<Customer | undefined> {
    const rows = await this.db.query<CustomerRow>('SELECT * FROM customers WHERE id = $1', [id]);
    return rows.map(toCustomer).at(0);
  }

  async search(name: string, limit = 20): Promise<Customer[]> {
    const rows = await this.db.query<CustomerRow>(
      'SELECT * FROM customers WHERE full_name ILIKE $1 ORDER BY full_name LIMIT $2',
      [`%${name}%`, limit],
    );
    return rows.map(toCustomer);
  }

  async raiseCreditLimit(id: number, amount: number): Promise<void> {
    await this.db.transaction(async (db) => {
      await db.query('UPDATE customers SET credit_limit = credit_limit + $1 WHERE id = $2', [amount, id]);
      await db.query('INSERT INTO audit_log (customer_id, change) VALUES ($1, $2)', [id, amount]);
    });
  }
}
