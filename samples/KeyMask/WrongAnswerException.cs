namespace KeyMask;

/// <summary>The cache answered what was never stored like that.</summary>
internal sealed class WrongAnswerException(string message) : Exception(message);
