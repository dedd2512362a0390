import Foundation
import class UIKit.UIColor

/// The weather at one place.
@MainActor
public final class Weather: ObservableObject {
    @Published var celsius: Double = 0
    private let place: String

    init(place: String) {
        self.place = place
    }

    deinit {
        print("gone: \(place)")
    }

    /// Asks the service, and keeps what it says.
    func refresh(using service: Service) async throws -> Bool {
        let answer = try await service.ask(place)
        guard let value = answer.celsius else {
            return false
        }
        celsius = value
        return true
    }

    enum Sky {
        case clear, cloudy
    }
}

struct Forecast: Codable {
    let days: [Double]

    subscript(day: Int) -> Double {
        days[day]
    }
}

extension Weather: CustomStringConvertible {
    var description: String { "\(celsius) degrees" }
    func fahrenheit() -> Double { celsius * 9 / 5 + 32 }
}

protocol Service {
    func ask(_ place: String) async throws -> Answer
}

func average(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
}
