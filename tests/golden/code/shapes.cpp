#include <memory>
#include "shapes.h"

namespace geometry::plane {

/// Anything with an area.
template <typename Number>
class Shape {
public:
    Shape() = default;
    virtual ~Shape() {}
    virtual Number area() const = 0;
    void name(const std::string& value) { name_ = value; }

protected:
    std::string name_;
};

struct Point { double x, y; };

bool operator==(const Point& a, const Point& b) { return a.x == b.x && a.y == b.y; }

double Circle::area() const
{
    return 3.14159265358979 * radius_ * radius_;
}

Circle::Circle(double radius) : radius_(radius) {}

}  // namespace geometry::plane

using Shapes = std::vector<std::unique_ptr<geometry::plane::Shape<double>>>;

template <class T>
T largest(const std::vector<T>& all)
{
    T best = all.front();
    for (const auto& each : all) {
        if (best < each) {
            best = each;
        }
    }
    return best;
}
