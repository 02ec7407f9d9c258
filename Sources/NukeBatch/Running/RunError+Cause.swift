import Files
import JobStorage

extension RunError {
    /// The error of a run for whatever kept it from beginning.
    init(_ error: any Error) {
        switch error {
        case let error as RunError: self = error
        case let error as PlanningError: self = .wrongInput(error.description)
        case let error as JobStoreError:
            if case .locked = error {
                self = .held(error.description)
            } else {
                self = .machine(error.description)
            }
        default: self = .machine("\(error)")
        }
    }
}
