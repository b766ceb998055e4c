import matplotlib.pyplot as plt
import pandas as pd


def load_readings(path):
    readings = pd.read_csv(path, parse_dates=["timestamp"])
    readings = readings.dropna(subset=["kwh"])
    readings["hour"] = readings["timestamp"].dt.hour
    readings["weekday"] = readings["timestamp"].dt.day_name()
    return readings.set_index("timestamp").sort_index()


def daily_use(readings):
    return readings["kwh"].resample("D").sum()


def use_by_hour(readings):
    return readings.groupby("hour")["kwh"].mean().round(2)


def add_costs(readings, tariffs):
    merged = readings.reset_index().merge(tariffs, on="hour", how="left")
    merged["cost"] = merged["kwh"] * merged["price_per_kwh"]
    return merged


def unusual_days(daily, threshold=2.0):
    scores = (daily - daily.mean()) / daily.std()
    return daily[scores.abs() > threshold]


def plot_daily(daily, path):
    figure, axes = plt.subplots(figsize=(10, 4))
    daily.plot(ax=axes, label="Daily use")
    daily.rolling(7).mean().plot(ax=axes, label="7-day average")
    axes.set_ylabel("kWh")
    axes.legend()
    figure.savefig(path)


if __name__ == "__main__":
    readings = load_readings("readings.csv")
    tariffs = pd.read_csv("tariffs.csv")
    daily = daily_use(readings)
    print(use_by_hour(readings))
    print(unusual_days(daily))
    print(add_costs(readings, tariffs).groupby("weekday")["cost"].sum())
    plot_daily(daily, "daily.png")
