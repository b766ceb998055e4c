export async function fetchForecast(city) {
  const response = await fetch(`https://weather.example/${city}`);
  return response.json();
}

export function willRain(forecast) {
  return forecast.rainProbability > 0.6;
}

export function isFrosty(forecast) {
  return forecast.minimumCelsius < 0;
}
