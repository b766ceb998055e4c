from dataclasses import dataclass, field


@dataclass
class Ingredient:
    name: str
    grams: int
    is_allergen: bool = False


@dataclass
class Recipe:
    title: str
    servings: int
    oven_celsius: int
    ingredients: list[Ingredient] = field(default_factory=list)

    def total_grams(self) -> int:
        return sum(ingredient.grams for ingredient in self.ingredients)

    def scaled_to(self, servings: int) -> "Recipe":
        factor = servings / self.servings
        scaled = [Ingredient(i.name, round(i.grams * factor), i.is_allergen) for i in self.ingredients]
        return Recipe(self.title, servings, self.oven_celsius, scaled)
