const { Ticket } = require('./ticket');

class TicketStore {
  constructor() {
    this.tickets = new Map();
    this.nextId = 1;
  }

  create(subject, requester) {
    const ticket = new Ticket(this.nextId++, subject, requester);
    this.tickets.set(ticket.id, ticket);
    return ticket;
  }

  findById(id) {
    return this.tickets.get(id);
  }

  listOpen() {
    return [...this.tickets.values()].filter((ticket) => ticket.isOpen);
  }
}

module.exports = { TicketStore };
