package com.example.cache;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Keeps the entries that were used last. */
public final class LruCache<K, V> {
    private static final class Node<K, V> {
        final K key;
        V value;
        Node<K, V> previous;
        Node<K, V> next;

        Node(K key, V value) {
            this.key = key;
            this.value = value;
        }
    }

    private final int capacity;
    private final Map<K, Node<K, V>> nodes = new HashMap<>();
    private Node<K, V> head;
    private Node<K, V> tail;

    public LruCache(int capacity) {
        if (capacity <= 0) {
            throw new IllegalArgumentException("capacity must be positive");
        }
        this.capacity = capacity;
    }

    public V get(K key) {
        Node<K, V> node = nodes.get(key);
        if (node == null) {
            return null;
        }
        moveToFront(node);
        return node.value;
    }

    public void put(K key, V value) {
        Node<K, V> node = nodes.get(key);
        if (node != null) {
            node.value = value;
            moveToFront(node);
            return;
        }
        if (nodes.size() >= capacity) {
            nodes.remove(tail.key);
            unlink(tail);
        }
        Node<K, V> added = new Node<>(key, value);
        nodes.put(key, added);
        pushFront(added);
    }

    public V getOrLoad(K key, Function<K, V> loader) {
        V cached = get(key);
        if (cached != null) {
            return cached;
        }
        V loaded = loader.apply(key);
        put(key, loaded);
        return loaded;
    }

    private void moveToFront(Node<K, V> node) {
        if (node == head) {
            return;
        }
        unlink(node);
        pushFront(node);
    }

    private void unlink(Node<K, V> node) {
        if (node.previous == null) head = node.next;
        else node.previous.next = node.next;
        if (node.next == null) tail = node.previous;
        else node.next.previous = node.previous;
        node.previous = null;
        node.next = null;
    }

    private void pushFront(Node<K, V> node) {
        node.next = head;
        if (head != null) head.previous = node;
        head = node;
        if (tail == null) tail = node;
    }
}
