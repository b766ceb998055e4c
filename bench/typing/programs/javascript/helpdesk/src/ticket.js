const PRIORITIES = ['low', 'normal', 'high', 'urgent'];

class Ticket {
  constructor(id, subject, requester) {
    this.id = id;
    this.subject = subject;
    this.requester = requester;
    this.priority = 'normal';
    this.assignee = null;
    this.comments = [];
    this.closedAt = null;
  }

  get isOpen() {
    return this.closedAt === null;
  }

  assignTo(agent) {
    this.assignee = agent;
  }

  addComment(author, text) {
    this.comments.push({ author, text, at: new Date() });
  }

  escalate() {
    const next = PRIORITIES.indexOf(this.priority) + 1;
    this.priority = PRIORITIES[Math.min(next, PRIORITIES.length - 1)];
  }

  close() {
    this.closedAt = new Date();
  }
}

module.exports = { Ticket, PRIORITIES };
