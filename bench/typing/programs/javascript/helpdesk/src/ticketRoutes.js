const express = require('express');
const { PRIORITIES } = require('./ticket');
const { TicketStore } = require('./ticketStore');

const router = express.Router();
const store = new TicketStore();

router.param('id', (req, res, next, id) => {
  req.ticket = store.findById(Number(id));
  if (!req.ticket) return res.status(404).json({ error: 'Ticket not found' });
  next();
});

router.get('/', (req, res) => {
  const { priority } = req.query;
  if (priority && !PRIORITIES.includes(priority)) {
    return res.status(400).json({ error: `Unknown priority: ${priority}` });
  }
  const tickets = store.listOpen().filter((ticket) => !priority || ticket.priority === priority);
  res.json(tickets);
});

router.post('/', (req, res) => {
  const { subject, requester } = req.body;
  if (!subject || !requester) {
    return res.status(400).json({ error: 'Subject and requester are required' });
  }
  res.status(201).json(store.create(subject, requester));
});

router.post('/:id/comments', (req, res) => {
  req.ticket.addComment(req.body.author, req.body.text);
  res.status(201).json(req.ticket.comments.at(-1));
});

router.post('/:id/escalate', (req, res) => {
  req.ticket.escalate();
  res.json({ id: req.ticket.id, priority: req.ticket.priority });
});

router.delete('/:id', (req, res) => {
  req.ticket.close();
  res.status(204).end();
});

module.exports = router;
