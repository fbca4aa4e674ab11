/// Each name that the SDK's guide and its headers have, by the section of the page that it must stand in.
///
/// The rows say what becomes of a member; this list says which there are, so that none is left out.
enum SDKMembers {
    static let all: [(section: String, names: [String])] =
        classes + values + [
            ("Cards", cards), ("Android", android), ("PGIpsReader", innerIPS),
            ("PGAudioJackConnectionDetector", detector),
        ]

    private static let classes: [(section: String, names: [String])] = [
        (
            "PGSwipeController",
            [
                "initWithDelegate:", "initWithDelegate:audioReader:", "delegate", "audioJackReaderType",
                "iDynamoReader", "uniMagReader", "ipsReader", "ipsEnterpriseReader",
                "setAudioJackReaderType:",
                "setAudioJackReaderType:messageOptions:",
            ]
        ),
        ("Autodetect", ["beginAutodetectAudioJackCardReader"]),
        ("PGSwipeDevice", ["isConnected", "isActivated", "isReadyForSwipe", "delegate"]),
        (
            "PGSwipeDelegate",
            [
                "didSwipeCard:device:", "deviceBecameReadyForSwipe:", "deviceBecameUnreadyForSwipe:reason:",
                "deviceConnected:", "deviceDisconnected:", "deviceActivationFinished:result:",
                "deviceDeactivated:", "deviceAutodetectStarted", "deviceAutodetectComplete:",
            ]
        ),
        (
            "PGSwipeUniMag",
            [
                "messageOptions", "activateReaderOnAttach", "automaticallySetVolumeToMaxOnActivate",
                "alwaysAcceptSwipe", "powerUpDevice:", "powerDown", "requestSwipe", "cancelSwipeRequest",
                "setSwipeTimeoutDuration:",
            ]
        ),
        (
            "PGSwipeUniMagMessageOptions",
            [
                "activateReaderWithoutPromptingUser", "showInitializingReaderMessage",
                "cardReaderActivationPrompt", "cardReaderActivationAtMaxVolumePrompt",
                "cardReaderTimeoutMessage", "volumeTooLowMessage", "resetToDefaults",
            ]
        ),
        (
            "PGSwipeIps, PGSwipeIpsEnterprise",
            ["delegate", "shutdown", "beginTestCommunication:", "CommunicationTestCompleteWithResult:"]
        ),
        ("PGSwipeIDynamo", ["initWithDelegate:", "delegate"]),
    ]

    private static let values: [(section: String, names: [String])] = [
        (
            "AudioJackReaderType",
            ["Unimag` (1)", "Ips` (2)", "AutodetectOnConnect` (3)", "None` (4)", "IpsEnterprise` (5)"]
        ),
        (
            "Autodetect",
            [
                "CardReaderAutodetectResultUniMag` (0)", "CardReaderAutodetectResultIps` (1)",
                "CardReaderAutodetectResultIpsEnterprise` (2)", "CardReaderAutodetectResultFail` (3)",
            ]
        ),
        ("SwipeActivationResult", ["Success` (0)", "Timeout` (1)", "Failure` (2)", "VolumeTooLow` (3)"]),
        (
            "SwipeReasonUnreadyForSwipe",
            ["Disconnected` (0)", "TimedOut` (1)", "Canceled` (2)", "Refreshing` (3)", "SwipeDone` (4)"]
        ),
    ]

    private static let cards = [
        "PGCard", "cvv", "getDirectPostStringWithCVVIncluded:", "PGKeyedCard", "cardNumber", "expirationDate",
        "cardStartDate", "cardIssueNumber", "PGSwipedCard", "track1", "track2", "track3", "maskedCardNumber",
        "cardholderName", "initWithTrack1:track2:track3:cvv:", "PGEncryptedSwipedCard", "ksn",
        "PGMagnesafeSwipedCard", "magnesafeKsn", "magnesafePrint", "magnesafePrintStatus",
        "PGSwipedKeyedCard", "PGEncrypt",
    ]

    private static let android = [
        "onSwipedCard", "onDeviceReadyForSwipe", "onDeviceUnreadyForSwipe", "onDeviceConnected",
        "onDeviceDisconnected", "onDeviceActivationFinished", "onDeviceDeactivated", "getIsConnected",
        "getIsActivated", "getIsReadyForSwipe", "getDeviceType", "getDefaultMsg", "setSwipeTimeout",
        "setAlwaysAcceptSwipe", "setActivateReaderOnConnect", "requestSwipe", "cancelSwipeRequest",
        "stopSwipeController", "restartSwipeController", "updateCompatableDeviceList", "UNIMAG", "IPS",
        "ENTERPRISE", "DISCONNECTED", "TIMED_OUT", "CANCELED", "REFRESHING", "SWIPE_DONE",
    ]

    private static let innerIPS = [
        "initReader", "startListeningForSwipe", "stopListeningForSwipe", "openReader", "closeReader",
        "setMaxVolume", "setBackRound:", "testCommunication", "readerCardInfo", "deviceUnavailable",
        "readerIsDecoding", "readerErrorDisplay:", "gotIpsSwipe:",
    ]

    private static let detector = [
        "defaultDetector", "addDelegate:", "removeDelegate:", "isObjectPluggedIn", "audioJackObjectAttached",
        "audioJackObjectDetached",
    ]
}
