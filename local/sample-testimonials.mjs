/** What supporters say in the local demo: samples, which say that they are, to show where a testimonial goes. */
export const SAMPLE_TESTIMONIALS = [
  {
    words: "Half the people at our long table found us on the map.",
    by: "Owner of a supper club (sample quote)",
  },
  {
    words:
      "New clients tell me they were looking for someone they wouldn’t have to explain themselves to.",
    by: "Therapist (sample quote)",
  },
  {
    words: "We asked for volunteers in one newsletter, and our Saturday crew has doubled.",
    by: "Organizer of a bike kitchen (sample quote)",
  },
];
