#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

constexpr double kPi = 3.14159265358979;

class Shape {
public:
    virtual ~Shape() = default;
    virtual double area() const = 0;
    virtual double perimeter() const = 0;
    virtual std::string name() const = 0;
};

class Circle : public Shape {
public:
    explicit Circle(double radius) : radius_(radius) {}

    double area() const override { return kPi * radius_ * radius_; }
    double perimeter() const override { return 2 * kPi * radius_; }
    std::string name() const override { return "circle"; }

private:
    double radius_;
};

class Rectangle : public Shape {
public:
    Rectangle(double width, double height) : width_(width), height_(height) {}

    double area() const override { return width_ * height_; }
    double perimeter() const override { return 2 * (width_ + height_); }
    std::string name() const override { return "rectangle"; }

private:
    double width_;
    double height_;
};

std::unique_ptr<Shape> parseShape(const std::string& line) {
    std::istringstream stream(line);
    std::string kind;
    stream >> kind;
    if (kind == "circle") {
        double radius = 0;
        stream >> radius;
        return std::make_unique<Circle>(radius);
    }
    if (kind == "rectangle") {
        double width = 0, height = 0;
        stream >> width >> height;
        return std::make_unique<Rectangle>(width, height);
    }
    return nullptr;
}

int main(int argc, char* argv[]) {
    if (argc < 2) {
        std::cerr << "usage: " << argv[0] << " FILE\n";
        return EXIT_FAILURE;
    }
    std::ifstream file(argv[1]);
    std::vector<std::unique_ptr<Shape>> shapes;
    std::string line;
    while (std::getline(file, line)) {
        if (auto shape = parseShape(line)) {
            shapes.push_back(std::move(shape));
        }
    }
    for (const auto& shape : shapes) {
        std::cout << shape->name() << ' ' << shape->area() << ' ' << shape->perimeter() << '\n';
    }
    return EXIT_SUCCESS;
}
