import { ageInDays, Plant, WATERING_DAYS } from './plants.js';
import { fetchForecast, isFrosty, willRain } from './weather.js';

export class Gardener {
  constructor(city) {
    this.city = city;
    this.plants = [];
  }

  add(species, day) {
    const plant = new Plant(species, day);
    this.plants.push(plant);
    return plant;
  }

  thirsty(today) {
    return this.plants.filter((plant) => plant.isThirsty(today));
  }

  async round(today) {
    const forecast = await fetchForecast(this.city);
    if (willRain(forecast)) return [];
    const watered = this.thirsty(today);
    for (const plant of watered) plant.water(today);
    return watered;
  }

  async toBringIn() {
    const forecast = await fetchForecast(this.city);
    return isFrosty(forecast) ? this.plants : [];
  }

  oldest(today) {
    return [...this.plants].sort((a, b) => ageInDays(b, today) - ageInDays(a, today))[0];
  }

  rhythm(plant) {
    return `every ${WATERING_DAYS[plant.species]} days`;
  }
}
