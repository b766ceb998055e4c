class Graph {
  constructor({ directed = false } = {}) {
    this.directed = directed;
    this.neighbours = new Map();
  }

  addNode(node) {
    if (!this.neighbours.has(node)) this.neighbours.set(node, new Map());
  }

  addEdge(from, to, weight = 1) {
    this.addNode(from);
    this.addNode(to);
    this.neighbours.get(from).set(to, weight);
    if (!this.directed) this.neighbours.get(to).set(from, weight);
  }

  nodes() {
    return [...this.neighbours.keys()];
  }

  *breadthFirst(start) {
    const seen = new Set([start]);
    const queue = [start];
    while (queue.length > 0) {
      const node = queue.shift();
      yield node;
      for (const next of this.neighbours.get(node).keys()) {
        if (seen.has(next)) continue;
        seen.add(next);
        queue.push(next);
      }
    }
  }

  *depthFirst(start, seen = new Set()) {
    if (seen.has(start)) return;
    seen.add(start);
    yield start;
    for (const next of this.neighbours.get(start).keys()) {
      yield* this.depthFirst(next, seen);
    }
  }

  shortestDistances(start) {
    const distances = new Map([[start, 0]]);
    const pending = new Set([start]);
    while (pending.size > 0) {
      const node = [...pending].reduce((best, each) =>
        distances.get(each) < distances.get(best) ? each : best,
      );
      pending.delete(node);
      for (const [next, weight] of this.neighbours.get(node)) {
        const distance = distances.get(node) + weight;
        if (distance < (distances.get(next) ?? Infinity)) {
          distances.set(next, distance);
          pending.add(next);
        }
      }
    }
    return distances;
  }

  isConnected() {
    const nodes = this.nodes();
    if (nodes.length === 0) return true;
    return [...this.breadthFirst(nodes[0])].length === nodes.length;
  }
}

module.exports = { Graph };
