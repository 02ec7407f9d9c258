import Foundation
import FoundationNetworking

/// The credential of one load, and the challenges that it has answered.
struct SessionLogin {
    /// A challenge that the user's delegate must decide about.
    struct Question {
        let request: URLRequest
        let response: HTTPURLResponse
        let scheme: LoginScheme
        let space: URLProtectionSpace
        /// The number of credentials that were refused before.
        let failureCount: Int
    }

    enum Step {
        /// The response is the answer.
        case judge
        /// The known credential suits this challenge, too.
        case answer(Question, URLCredential)
        case ask(Question)
    }

    private struct Known {
        let space: URLProtectionSpace
        let credential: URLCredential
        let authorization: String
        var failureCount: Int
        /// True if it answers a challenge that only had a newer nonce.
        var isRenewed: Bool
    }

    /// As many as redirects: a server may ask after each of them.
    private static let mostAnswers = 20

    private var known: Known?
    private var answerCount = 0

    /// Returns the next step after a response.
    func step(after response: HTTPURLResponse, to request: URLRequest) -> Step {
        guard answerCount < Self.mostAnswers, let scheme = LoginScheme(response), let url = request.url else {
            return .judge
        }
        let space = scheme.protectionSpace(of: url)
        func question(after failures: Int) -> Question {
            Question(
                request: request,
                response: response,
                scheme: scheme,
                space: space,
                failureCount: failures
            )
        }
        guard let known, known.space.isSame(as: space) else { return .ask(question(after: 0)) }
        // A redirect drops the field.
        let wasSent = request.value(forHTTPHeaderField: "Authorization") == known.authorization
        if !wasSent || (scheme.isStale && !known.isRenewed) {
            return .answer(question(after: known.failureCount), known.credential)
        }
        return .ask(question(after: known.failureCount + 1))
    }

    /// Returns the request with a credential; nil if that cannot be used or has just been refused.
    mutating func answer(_ question: Question, with credential: URLCredential) -> URLRequest? {
        let isKnown =
            known.map { known in
                known.space.isSame(as: question.space) && known.credential.user == credential.user
                    && known.credential.password == credential.password
            } ?? false
        if isKnown, question.failureCount > known?.failureCount ?? 0 { return nil }
        guard let text = question.scheme.authorization(for: question.request, credential) else { return nil }
        var request = question.request
        request.setValue(text, forHTTPHeaderField: "Authorization")
        known = Known(
            space: question.space,
            credential: credential,
            authorization: text,
            failureCount: question.failureCount,
            isRenewed: question.scheme.isStale && isKnown
        )
        answerCount += 1
        return request
    }

    /// Returns a redirect's request without the field that answered a challenge: the new one may come from elsewhere,
    /// and a Digest holds for one URL only.
    func redirected(_ request: URLRequest) -> URLRequest {
        guard let known, request.value(forHTTPHeaderField: "Authorization") == known.authorization else {
            return request
        }
        var request = request
        request.setValue(nil, forHTTPHeaderField: "Authorization")
        return request
    }
}

extension URLProtectionSpace {
    /// True if one credential suits both; Foundation on Linux compares only identities.
    fileprivate func isSame(as other: URLProtectionSpace) -> Bool {
        host.lowercased() == other.host.lowercased() && port == other.port && realm == other.realm
            && `protocol` == other.protocol && authenticationMethod == other.authenticationMethod
    }
}

extension URLAuthenticationChallenge {
    /// Creates the challenge that the user's delegate sees.
    convenience init(_ question: SessionLogin.Question) {
        self.init(
            protectionSpace: question.space,
            proposedCredential: nil,
            previousFailureCount: question.failureCount,
            failureResponse: question.response,
            error: nil,
            sender: ChallengeSender()
        )
    }
}

/// Foundation requires a sender; a session's challenges are answered by their completion handlers alone.
private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
