#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

template <typename T, std::size_t Capacity>
class RingBuffer {
public:
    bool empty() const noexcept { return size_ == 0; }
    bool full() const noexcept { return size_ == Capacity; }
    std::size_t size() const noexcept { return size_; }

    void push(T value) {
        if (full()) {
            throw std::overflow_error("ring buffer is full");
        }
        values_[(head_ + size_) % Capacity] = std::move(value);
        ++size_;
    }

    T pop() {
        if (empty()) {
            throw std::underflow_error("ring buffer is empty");
        }
        T value = std::move(values_[head_]);
        head_ = (head_ + 1) % Capacity;
        --size_;
        return value;
    }

    const T& front() const {
        if (empty()) {
            throw std::underflow_error("ring buffer is empty");
        }
        return values_[head_];
    }

    const T& operator[](std::size_t index) const {
        return values_[(head_ + index) % Capacity];
    }

    void clear() noexcept {
        head_ = 0;
        size_ = 0;
    }

    template <typename Visit>
    void forEach(Visit visit) const {
        for (std::size_t i = 0; i < size_; ++i) {
            visit((*this)[i]);
        }
    }

private:
    std::array<T, Capacity> values_{};
    std::size_t head_ = 0;
    std::size_t size_ = 0;
};
