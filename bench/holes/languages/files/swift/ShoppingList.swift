import Foundation

enum Category: String, Codable, CaseIterable {
    case produce
    case dairy
    case bakery
    case other
}

struct Item: Codable, Identifiable, Equatable {
    let id: UUID
    var name: String
    var quantity: Int
    var category: Category
    var isBought: Bool

    init(name: String, quantity: Int = 1, category: Category = .other) {
        self.id = UUID()
        self.name = name
        self.quantity = quantity
        self.category = category
        self.isBought = false
    }
}

enum ShoppingListError: Error {
    case emptyName
    case itemNotFound(UUID)
}

final class ShoppingList {
    private(set) var items: [Item] = []
    private let fileURL: URL

    init(fileURL: URL) {
        self.fileURL = fileURL
    }

    var remaining: [Item] {
        items.filter { !$0.isBought }
    }

    func add(_ item: Item) throws {
        guard !item.name.isEmpty else {
            throw ShoppingListError.emptyName
        }
        if let index = items.firstIndex(where: { $0.name == item.name && !$0.isBought }) {
            items[index].quantity += item.quantity
        } else {
            items.append(item)
        }
    }

    func markBought(id: UUID) throws {
        guard let index = items.firstIndex(where: { $0.id == id }) else {
            throw ShoppingListError.itemNotFound(id)
        }
        items[index].isBought = true
    }

    func removeBought() {
        items.removeAll { $0.isBought }
    }

    func grouped() -> [Category: [Item]] {
        Dictionary(grouping: items, by: { $0.category })
    }

    func save() throws {
        let data = try JSONEncoder().encode(items)
        try data.write(to: fileURL)
    }

    func load() throws {
        let data = try Data(contentsOf: fileURL)
        items = try JSONDecoder().decode([Item].self, from: data)
    }
}
