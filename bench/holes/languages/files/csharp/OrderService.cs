using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Shop.Orders
{
    public enum OrderStatus
    {
        Draft,
        Paid,
        Shipped,
        Cancelled,
    }

    public class OrderLine
    {
        public string Product { get; set; } = "";
        public int Quantity { get; set; }
        public decimal UnitPrice { get; set; }

        public decimal Total => Quantity * UnitPrice;
    }

    public class Order
    {
        private readonly List<OrderLine> _lines = new List<OrderLine>();

        public Order(Guid id)
        {
            Id = id;
        }

        public Guid Id { get; }
        public OrderStatus Status { get; private set; } = OrderStatus.Draft;
        public IReadOnlyList<OrderLine> Lines => _lines;
        public decimal Total => _lines.Sum(line => line.Total);

        public void Add(OrderLine line)
        {
            if (Status != OrderStatus.Draft)
            {
                throw new InvalidOperationException($"Cannot change an order that is {Status}");
            }
            _lines.Add(line);
        }

        public void Pay()
        {
            if (_lines.Count == 0)
            {
                throw new InvalidOperationException("Cannot pay an empty order");
            }
            Status = OrderStatus.Paid;
        }

        public void Ship()
        {
            if (Status != OrderStatus.Paid)
            {
                throw new InvalidOperationException("Cannot ship an order that is not paid");
            }
            Status = OrderStatus.Shipped;
        }
    }

    public interface IOrderStore
    {
        Task<Order?> FindAsync(Guid id, CancellationToken cancellationToken);
        Task SaveAsync(Order order, CancellationToken cancellationToken);
    }

    public class OrderService
    {
        private readonly IOrderStore _store;

        public OrderService(IOrderStore store)
        {
            _store = store;
        }

        public async Task<decimal> PayAsync(Guid id, CancellationToken cancellationToken = default)
        {
            var order = await _store.FindAsync(id, cancellationToken);
            if (order == null)
            {
                throw new KeyNotFoundException($"No order {id}");
            }
            order.Pay();
            await _store.SaveAsync(order, cancellationToken);
            return order.Total;
        }
    }
}
