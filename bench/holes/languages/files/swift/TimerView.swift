import SwiftUI

final class TimerModel: ObservableObject {
    @Published private(set) var remaining: TimeInterval
    @Published private(set) var isRunning = false

    private let duration: TimeInterval
    private var timer: Timer?

    init(duration: TimeInterval) {
        self.duration = duration
        self.remaining = duration
    }

    var progress: Double {
        duration == 0 ? 0 : 1 - remaining / duration
    }

    func start() {
        guard !isRunning else { return }
        isRunning = true
        timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in
            self?.tick()
        }
    }

    func pause() {
        timer?.invalidate()
        timer = nil
        isRunning = false
    }

    func reset() {
        pause()
        remaining = duration
    }

    private func tick() {
        remaining = max(0, remaining - 1)
        if remaining == 0 {
            pause()
        }
    }
}

struct TimerView: View {
    @StateObject private var model = TimerModel(duration: 25 * 60)

    private var label: String {
        let minutes = Int(model.remaining) / 60
        let seconds = Int(model.remaining) % 60
        return String(format: "%02d:%02d", minutes, seconds)
    }

    var body: some View {
        VStack(spacing: 24) {
            Text(label)
                .font(.system(size: 64, design: .monospaced))
            ProgressView(value: model.progress)
            HStack {
                Button(model.isRunning ? "Pause" : "Start") {
                    if model.isRunning {
                        model.pause()
                    } else {
                        model.start()
                    }
                }
                Button("Reset") {
                    model.reset()
                }
                .disabled(model.isRunning)
            }
        }
        .padding()
    }
}
