/// The error of a stage that exceeded its time limit.
struct StageTimeout: Error {
    let seconds: Int
}
