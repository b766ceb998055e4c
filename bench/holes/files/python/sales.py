import csv
import sys
from collections import Counter, defaultdict
from datetime import datetime


def read_sales(path):
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield {
                "date": datetime.strptime(row["date"], "%Y-%m-%d").date(),
                "product": row["product"],
                "region": row["region"],
                "quantity": int(row["quantity"]),
                "price": float(row["price"]),
            }


def revenue(sale):
    return sale["quantity"] * sale["price"]


def revenue_by(sales, field):
    totals = defaultdict(float)
    for sale in sales:
        totals[sale[field]] += revenue(sale)
    return dict(totals)


def quantity_by_product(sales):
    counts = Counter()
    for sale in sales:
        counts[sale["product"]] += sale["quantity"]
    return counts


def monthly_revenue(sales):
    months = defaultdict(float)
    for sale in sales:
        key = (sale["date"].year, sale["date"].month)
        months[key] += revenue(sale)
    return dict(sorted(months.items()))


def growth(previous, current):
    if previous == 0:
        return 0.0
    return (current - previous) / previous


def print_table(title, totals):
    print(title)
    for name, total in sorted(totals.items(), key=lambda item: item[1], reverse=True):
        print(f"  {name:<20} {total:>12.2f}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: sales.py FILE")
    sales = list(read_sales(sys.argv[1]))
    print_table("By product", revenue_by(sales, "product"))
    print_table("By region", revenue_by(sales, "region"))
    months = monthly_revenue(sales)
    values = list(months.values())
    for previous, current in zip(values, values[1:]):
        print(f"{growth(previous, current):+.1%}")


if __name__ == "__main__":
    main()
