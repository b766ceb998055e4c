#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

struct Item {
    std::string name;
    int quantity = 0;
    double price = 0.0;
};

class OutOfStock : public std::runtime_error {
public:
    explicit OutOfStock(const std::string& name)
        : std::runtime_error("out of stock: " + name) {}
};

class Inventory {
public:
    void add(const Item& item) {
        auto found = items_.find(item.name);
        if (found != items_.end()) {
            found->second.quantity += item.quantity;
        } else {
            items_.emplace(item.name, item);
        }
    }

    std::optional<Item> find(const std::string& name) const {
        const auto found = items_.find(name);
        if (found == items_.end()) {
            return std::nullopt;
        }
        return found->second;
    }

    void remove(const std::string& name, int quantity) {
        auto found = items_.find(name);
        if (found == items_.end() || found->second.quantity < quantity) {
            throw OutOfStock(name);
        }
        found->second.quantity -= quantity;
        if (found->second.quantity == 0) {
            items_.erase(found);
        }
    }

    double total() const {
        return std::accumulate(items_.begin(), items_.end(), 0.0, [](double sum, const auto& entry) {
            return sum + entry.second.quantity * entry.second.price;
        });
    }

    std::vector<Item> byPrice() const {
        std::vector<Item> sorted;
        for (const auto& [name, item] : items_) {
            sorted.push_back(item);
        }
        std::sort(sorted.begin(), sorted.end(), [](const Item& a, const Item& b) {
            return a.price < b.price;
        });
        return sorted;
    }

private:
    std::map<std::string, Item> items_;
};

int main() {
    Inventory inventory;
    inventory.add({"apple", 10, 0.25});
    inventory.add({"melon", 2, 3.5});
    try {
        inventory.remove("melon", 3);
    } catch (const OutOfStock& error) {
        std::cerr << error.what() << '\n';
    }
    for (const auto& item : inventory.byPrice()) {
        std::cout << item.name << ": " << item.quantity << '\n';
    }
    std::cout << "total " << inventory.total() << '\n';
    return 0;
}
