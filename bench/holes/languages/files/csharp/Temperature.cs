using System;
using System.Collections.Generic;
using System.Globalization;

namespace Weather
{
    public readonly struct Temperature : IEquatable<Temperature>, IComparable<Temperature>
    {
        private const double AbsoluteZero = -273.15;

        private Temperature(double celsius)
        {
            if (celsius < AbsoluteZero)
            {
                throw new ArgumentOutOfRangeException(nameof(celsius));
            }
            Celsius = celsius;
        }

        public double Celsius { get; }

        public double Fahrenheit => Celsius * 9 / 5 + 32;

        public double Kelvin => Celsius - AbsoluteZero;

        public static Temperature FromCelsius(double celsius) => new Temperature(celsius);

        public static Temperature FromFahrenheit(double fahrenheit) =>
            new Temperature((fahrenheit - 32) * 5 / 9);

        public static Temperature FromKelvin(double kelvin) => new Temperature(kelvin + AbsoluteZero);

        public bool Equals(Temperature other) => Celsius.Equals(other.Celsius);

        public override bool Equals(object? obj) => obj is Temperature other && Equals(other);

        public override int GetHashCode() => Celsius.GetHashCode();

        public int CompareTo(Temperature other) => Celsius.CompareTo(other.Celsius);

        public static bool operator <(Temperature left, Temperature right) => left.CompareTo(right) < 0;

        public static bool operator >(Temperature left, Temperature right) => left.CompareTo(right) > 0;

        public override string ToString() =>
            Celsius.ToString("0.0", CultureInfo.InvariantCulture) + " °C";
    }

    public class Readings
    {
        private readonly List<Temperature> _values = new List<Temperature>();

        public void Add(Temperature value) => _values.Add(value);

        public Temperature Highest()
        {
            var highest = _values[0];
            foreach (var value in _values)
            {
                if (value > highest)
                {
                    highest = value;
                }
            }
            return highest;
        }

        public double AverageCelsius()
        {
            double sum = 0;
            foreach (var value in _values)
            {
                sum += value.Celsius;
            }
            return _values.Count == 0 ? 0 : sum / _values.Count;
        }
    }
}
