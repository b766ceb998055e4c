import Foundation

struct Forecast: Decodable {
    struct Day: Decodable {
        let date: String
        let high: Double
        let low: Double
    }

    let city: String
    let days: [Day]

    var warmest: Day? {
        days.max { $0.high < $1.high }
    }

    var averageLow: Double {
        guard !days.isEmpty else { return 0 }
        return days.map(\.low).reduce(0, +) / Double(days.count)
    }
}

enum WeatherError: Error, LocalizedError {
    case badURL
    case badStatus(Int)

    var errorDescription: String? {
        switch self {
        case .badURL:
            return "The address is not valid."
        case .badStatus(let status):
            return "The server answered with \(status)."
        }
    }
}

actor WeatherClient {
    private let baseURL: URL
    private let session: URLSession
    private var cache: [String: Forecast] = [:]

    init(baseURL: URL, session: URLSession = .shared) {
        self.baseURL = baseURL
        self.session = session
    }

    func forecast(for city: String) async throws -> Forecast {
        if let cached = cache[city] {
            return cached
        }
        let forecast = try await fetch(city: city)
        cache[city] = forecast
        return forecast
    }

    private func fetch(city: String) async throws -> Forecast {
        var components = URLComponents(url: baseURL, resolvingAgainstBaseURL: true)
        components?.queryItems = [URLQueryItem(name: "city", value: city)]
        guard let url = components?.url else {
            throw WeatherError.badURL
        }
        let (data, response) = try await session.data(from: url)
        if let http = response as? HTTPURLResponse, http.statusCode != 200 {
            throw WeatherError.badStatus(http.statusCode)
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Forecast.self, from: data)
    }
}

func celsius(fromFahrenheit degrees: Double) -> Double {
    (degrees - 32) * 5 / 9
}

func fahrenheit(fromCelsius degrees: Double) -> Double {
    degrees * 9 / 5 + 32
}
