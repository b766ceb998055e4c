'use strict';

/** A minimal event emitter with once() and error isolation. */
class EventEmitter {
  constructor() {
    this.listeners = new Map();
  }

  on(event, listener) {
    if (!this.listeners.has(event)) {
      this.listeners.set(event, []);
    }
    this.listeners.get(event).push(listener);
    return this;
  }

  off(event, listener) {
    const listeners = this.listeners.get(event);
    if (!listeners) {
      return this;
    }
    const index = listeners.indexOf(listener);
    if (index >= 0) {
      listeners.splice(index
    return this;
  }

  once(event, listener) {
    const wrapper = (...args) => {
      this.off(event, wrapper);
      listener(...args);
    };
    return this.on(event, wrapper);
  }

  emit(event, ...args) {
    const listeners = this.listeners.get(event) || [];
    for (const listener of listeners.slice()) {
      listener(...args);
    }
    return listeners.length > 0;
  }
}

module.exports = { EventEmitter };
