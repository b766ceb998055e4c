export const WATERING_DAYS = { cactus: 21, fern: 3, tomato: 2, rose: 4 };

export class Plant {
  constructor(species, plantedOn) {
    this.species = species;
    this.plantedOn = plantedOn;
    this.lastWatered = plantedOn;
  }

  water(day) {
    this.lastWatered = day;
  }

  isThirsty(today) {
    return today - this.lastWatered >= WATERING_DAYS[this.species];
  }
}

export function ageInDays(plant, today) {
  return today - plant.plantedOn;
}
