import Foundation

/// The errors of signed requests.
extension ObjectStoreError {
    static func invalidAccessKeyID(_ accessKeyID: String) -> Self {
        Self(
            403,
            code: "InvalidAccessKeyId",
            "The AWS Access Key Id you provided does not exist in our records.",
            details: [("AWSAccessKeyId", accessKeyID)]
        )
    }
    static func requestTimeTooSkewed(_ time: String, now: Date) -> Self {
        Self(
            403,
            code: "RequestTimeTooSkewed",
            "The difference between the request time and the current time is too large.",
            details: [
                ("RequestTime", time), ("ServerTime", SignedDate.extended(now)),
                ("MaxAllowedSkewMilliseconds", "900000"),
            ]
        )
    }
    static func headersNotSigned(_ names: [String]) -> Self {
        Self(
            403,
            code: "AccessDenied",
            "There were headers present in the request which were not signed",
            details: [("HeadersNotSigned", names.joined(separator: ", "))]
        )
    }
    /// Returns the texts over which the server computed the signature, as S3 does.
    static func signatureDoesNotMatch(
        _ signature: RequestSignature,
        stringToSign: String,
        canonicalRequest: String
    ) -> Self {
        Self(
            403,
            code: "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you provided. Check your key and "
                + "signing method.",
            details: [
                ("AWSAccessKeyId", signature.accessKeyID), ("StringToSign", stringToSign),
                ("SignatureProvided", signature.signature), ("CanonicalRequest", canonicalRequest),
            ]
        )
    }
}
