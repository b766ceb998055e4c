import { EventEmitter } from 'node:events';

export class Thermostat extends EventEmitter {
  #target;
  #temperature;
  #heating = false;

  constructor({ target = 20, temperature = 18, tolerance = 0.5 } = {}) {
    super();
    this.#target = target;
    this.#temperature = temperature;
    this.tolerance = tolerance;
  }

  get isHeating() {
    return this.#heating;
  }

  setTarget(target) {
    if (target < 5 || target > 30) {
      throw new RangeError(`Target must be between 5 and 30, not ${target}`);
    }
    this.#target = target;
    this.#update();
  }

  measure(temperature) {
    this.#temperature = temperature;
    this.emit('measured', temperature);
    this.#update();
  }

  #update() {
    const difference = this.#target - this.#temperature;
    if (Math.abs(difference) < this.tolerance) return;
    const shouldHeat = difference > 0;
    if (shouldHeat === this.#heating) return;
    this.#heating = shouldHeat;
    this.emit(shouldHeat ? 'on' : 'off', this.#temperature);
  }
}

const livingRoom = new Thermostat({ target: 21 });
livingRoom.on('on', (temperature) => console.log(`Heating on at ${temperature} degrees`));
livingRoom.on('off', (temperature) => console.log(`Heating off at ${temperature} degrees`));

for (const temperature of [19, 20.8, 21.7]) {
  livingRoom.measure(temperature);
}
