from oven import MAX_CELSIUS, Oven
from recipes import Ingredient, Recipe


class Baker:
    def __init__(self, oven: Oven) -> None:
        self.oven = oven

    def bake(self, recipe: Recipe, servings: int) -> int:
        batch = recipe.scaled_to(servings)
        self.oven.preheat(batch.oven_celsius)
        minutes = self.oven.minutes_for(batch.total_grams())
        self.oven.switch_off()
        return minutes

    def allergens(self, recipe: Recipe) -> list[str]:
        return [i.name for i in recipe.ingredients if i.is_allergen]

    def can_bake(self, recipe: Recipe) -> bool:
        return recipe.oven_celsius <= MAX_CELSIUS

    def label(self, recipe: Recipe) -> str:
        return f"{recipe.title} for {recipe.servings}, {recipe.total_grams()} g"

    def bread(self) -> Recipe:
        flour = Ingredient("flour", 500, is_allergen=True)
        return Recipe("bread", 8, 230, [flour, Ingredient("water", 350)])
