// Written by `npm run types` from supabase/schemas. Change those, then run it again.
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  public: {
    Tables: {
      audit_log: {
        Row: {
          action: string;
          actor: string | null;
          actor_role: string;
          after: Json | null;
          at: string;
          before: Json | null;
          id: number;
          subject: string;
          subject_id: string;
        };
        Insert: {
          action: string;
          actor?: string | null;
          actor_role: string;
          after?: Json | null;
          at?: string;
          before?: Json | null;
          id?: never;
          subject: string;
          subject_id: string;
        };
        Update: {
          action?: string;
          actor?: string | null;
          actor_role?: string;
          after?: Json | null;
          at?: string;
          before?: Json | null;
          id?: never;
          subject?: string;
          subject_id?: string;
        };
        Relationships: [];
      };
      categories: {
        Row: {
          id: number;
          name: string;
          parent_category: number | null;
        };
        Insert: {
          id?: number;
          name: string;
          parent_category?: number | null;
        };
        Update: {
          id?: number;
          name?: string;
          parent_category?: number | null;
        };
        Relationships: [
          {
            foreignKeyName: "categories_parent_category_fkey";
            columns: ["parent_category"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["id"];
          },
        ];
      };
      consents: {
        Row: {
          at: string;
          channel: string;
          granted: boolean;
          id: number;
          page: string;
          text_version: string;
          user_id: string;
        };
        Insert: {
          at?: string;
          channel: string;
          granted: boolean;
          id?: never;
          page: string;
          text_version: string;
          user_id: string;
        };
        Update: {
          at?: string;
          channel?: string;
          granted?: boolean;
          id?: never;
          page?: string;
          text_version?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "consents_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      email_preferences: {
        Row: {
          kind: string;
          user_id: string;
          wanted: boolean;
        };
        Insert: {
          kind: string;
          user_id?: string;
          wanted: boolean;
        };
        Update: {
          kind?: string;
          user_id?: string;
          wanted?: boolean;
        };
        Relationships: [
          {
            foreignKeyName: "email_preferences_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      events: {
        Row: {
          created_at: string;
          data: Json;
          event_name: string;
          id: number;
          note: string | null;
          place: number;
          state: string;
          user_id: string | null;
          version: number;
        };
        Insert: {
          created_at?: string;
          data?: Json;
          event_name: string;
          id?: never;
          note?: string | null;
          place: number;
          state?: string;
          user_id?: string | null;
          version?: number;
        };
        Update: {
          created_at?: string;
          data?: Json;
          event_name?: string;
          id?: never;
          note?: string | null;
          place?: number;
          state?: string;
          user_id?: string | null;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "events_place_fkey";
            columns: ["place"];
            isOneToOne: false;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "events_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      favorites: {
        Row: {
          created_at: string;
          place_id: number;
          user_id: string;
        };
        Insert: {
          created_at?: string;
          place_id: number;
          user_id: string;
        };
        Update: {
          created_at?: string;
          place_id?: number;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "favorites_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: false;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "favorites_user_id_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      feedback: {
        Row: {
          archived: boolean;
          created_at: string;
          feedback: string;
          id: number;
          os: string | null;
          userid: string | null;
        };
        Insert: {
          archived?: boolean;
          created_at?: string;
          feedback: string;
          id?: never;
          os?: string | null;
          userid?: string | null;
        };
        Update: {
          archived?: boolean;
          created_at?: string;
          feedback?: string;
          id?: never;
          os?: string | null;
          userid?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "feedback_userid_fkey";
            columns: ["userid"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      form_stash: {
        Row: {
          expires_at: string;
          id: string;
          sealed: string;
        };
        Insert: {
          expires_at?: string;
          id: string;
          sealed: string;
        };
        Update: {
          expires_at?: string;
          id?: string;
          sealed?: string;
        };
        Relationships: [];
      };
      jobs: {
        Row: {
          ally_owned: boolean;
          ally_safety: string | null;
          category: number;
          city: string | null;
          company_bio: string | null;
          company_name: string | null;
          contract: boolean;
          created_at: string;
          description: string;
          expiration_date: string | null;
          filled_at: string | null;
          full_time: boolean;
          id: number;
          location: string[];
          modified_at: string;
          owner: string | null;
          owner_email: string | null;
          paid: boolean;
          part_time: boolean;
          pay_range: string | null;
          place_id: number | null;
          published: boolean;
          queer_owned: boolean;
          remote: boolean;
          submission_id: string | null;
          title: string;
          url: string | null;
          version: number;
        };
        Insert: {
          ally_owned?: boolean;
          ally_safety?: string | null;
          category: number;
          city?: string | null;
          company_bio?: string | null;
          company_name?: string | null;
          contract?: boolean;
          created_at?: string;
          description: string;
          expiration_date?: string | null;
          filled_at?: string | null;
          full_time?: boolean;
          id?: never;
          location: string[];
          modified_at?: string;
          owner?: string | null;
          owner_email?: string | null;
          paid?: boolean;
          part_time?: boolean;
          pay_range?: string | null;
          place_id?: number | null;
          published?: boolean;
          queer_owned?: boolean;
          remote?: boolean;
          submission_id?: string | null;
          title: string;
          url?: string | null;
          version?: number;
        };
        Update: {
          ally_owned?: boolean;
          ally_safety?: string | null;
          category?: number;
          city?: string | null;
          company_bio?: string | null;
          company_name?: string | null;
          contract?: boolean;
          created_at?: string;
          description?: string;
          expiration_date?: string | null;
          filled_at?: string | null;
          full_time?: boolean;
          id?: never;
          location?: string[];
          modified_at?: string;
          owner?: string | null;
          owner_email?: string | null;
          paid?: boolean;
          part_time?: boolean;
          pay_range?: string | null;
          place_id?: number | null;
          published?: boolean;
          queer_owned?: boolean;
          remote?: boolean;
          submission_id?: string | null;
          title?: string;
          url?: string | null;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "jobs_category_fkey";
            columns: ["category"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "jobs_owner_fkey";
            columns: ["owner"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "jobs_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: false;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
        ];
      };
      leads: {
        Row: {
          created_at: string;
          id: number;
          message: string;
          notes: string | null;
          place_id: number;
          requester: string | null;
          requester_email: string;
          requester_name: string;
          state: string;
          version: number;
        };
        Insert: {
          created_at?: string;
          id?: never;
          message: string;
          notes?: string | null;
          place_id: number;
          requester?: string | null;
          requester_email: string;
          requester_name: string;
          state?: string;
          version?: number;
        };
        Update: {
          created_at?: string;
          id?: never;
          message?: string;
          notes?: string | null;
          place_id?: number;
          requester?: string | null;
          requester_email?: string;
          requester_name?: string;
          state?: string;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "leads_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: false;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "leads_requester_fkey";
            columns: ["requester"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      listing_drafts: {
        Row: {
          created_at: string;
          expires: boolean;
          fields: Json;
          form: string | null;
          id: string;
          owner: string;
          updated_at: string;
        };
        Insert: {
          created_at?: string;
          expires?: boolean;
          fields: Json;
          form?: string | null;
          id?: string;
          owner?: string;
          updated_at?: string;
        };
        Update: {
          created_at?: string;
          expires?: boolean;
          fields?: Json;
          form?: string | null;
          id?: string;
          owner?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "listing_drafts_owner_fkey";
            columns: ["owner"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      listing_managers: {
        Row: {
          invited_by: string | null;
          place_id: number;
          profile_id: string;
          since: string;
        };
        Insert: {
          invited_by?: string | null;
          place_id: number;
          profile_id: string;
          since?: string;
        };
        Update: {
          invited_by?: string | null;
          place_id?: number;
          profile_id?: string;
          since?: string;
        };
        Relationships: [
          {
            foreignKeyName: "listing_managers_invited_by_fkey";
            columns: ["invited_by"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "listing_managers_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: false;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "listing_managers_profile_id_fkey";
            columns: ["profile_id"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      manager_invitations: {
        Row: {
          accepted_at: string | null;
          accepted_by: string | null;
          created_at: string;
          email: string;
          expires_at: string;
          id: string;
          invited_by: string | null;
          place_id: number;
          withdrawn_at: string | null;
        };
        Insert: {
          accepted_at?: string | null;
          accepted_by?: string | null;
          created_at?: string;
          email: string;
          expires_at?: string;
          id: string;
          invited_by?: string | null;
          place_id: number;
          withdrawn_at?: string | null;
        };
        Update: {
          accepted_at?: string | null;
          accepted_by?: string | null;
          created_at?: string;
          email?: string;
          expires_at?: string;
          id?: string;
          invited_by?: string | null;
          place_id?: number;
          withdrawn_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "manager_invitations_accepted_by_fkey";
            columns: ["accepted_by"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "manager_invitations_invited_by_fkey";
            columns: ["invited_by"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "manager_invitations_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: false;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
        ];
      };
      orders: {
        Row: {
          amount_paid_cents: number | null;
          amount_refunded_cents: number;
          attempt: number;
          cancellation_days: number | null;
          coupon: string | null;
          created_at: string;
          currency: string;
          days: number | null;
          expires_at: string | null;
          id: string;
          item_dates: string[] | null;
          item_name: string | null;
          job_id: number | null;
          kind: string;
          modified_at: string;
          opened_at: string | null;
          owner: string | null;
          paid_at: string | null;
          place_id: number | null;
          plan: string | null;
          price_cents: number | null;
          quantity: number;
          refund_reason: string | null;
          revoked_at: string | null;
          seen: number;
          sponsorship_id: number | null;
          status: string;
          stripe_checkout_session_id: string | null;
          stripe_customer_id: string | null;
          stripe_payment_intent_id: string | null;
          stripe_subscription_id: string | null;
          unit_price_cents: number;
        };
        Insert: {
          amount_paid_cents?: number | null;
          amount_refunded_cents?: number;
          attempt?: number;
          cancellation_days?: number | null;
          coupon?: string | null;
          created_at?: string;
          currency?: string;
          days?: number | null;
          expires_at?: string | null;
          id?: string;
          item_dates?: string[] | null;
          item_name?: string | null;
          job_id?: number | null;
          kind: string;
          modified_at?: string;
          opened_at?: string | null;
          owner?: string | null;
          paid_at?: string | null;
          place_id?: number | null;
          plan?: string | null;
          price_cents?: never;
          quantity?: number;
          refund_reason?: string | null;
          revoked_at?: string | null;
          seen?: number;
          sponsorship_id?: number | null;
          status?: string;
          stripe_checkout_session_id?: string | null;
          stripe_customer_id?: string | null;
          stripe_payment_intent_id?: string | null;
          stripe_subscription_id?: string | null;
          unit_price_cents: number;
        };
        Update: {
          amount_paid_cents?: number | null;
          amount_refunded_cents?: number;
          attempt?: number;
          cancellation_days?: number | null;
          coupon?: string | null;
          created_at?: string;
          currency?: string;
          days?: number | null;
          expires_at?: string | null;
          id?: string;
          item_dates?: string[] | null;
          item_name?: string | null;
          job_id?: number | null;
          kind?: string;
          modified_at?: string;
          opened_at?: string | null;
          owner?: string | null;
          paid_at?: string | null;
          place_id?: number | null;
          plan?: string | null;
          price_cents?: never;
          quantity?: number;
          refund_reason?: string | null;
          revoked_at?: string | null;
          seen?: number;
          sponsorship_id?: number | null;
          status?: string;
          stripe_checkout_session_id?: string | null;
          stripe_customer_id?: string | null;
          stripe_payment_intent_id?: string | null;
          stripe_subscription_id?: string | null;
          unit_price_cents?: number;
        };
        Relationships: [
          {
            foreignKeyName: "orders_job_id_fkey";
            columns: ["job_id"];
            isOneToOne: false;
            referencedRelation: "jobs";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "orders_owner_fkey";
            columns: ["owner"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "orders_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: false;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "orders_sponsorship_id_fkey";
            columns: ["sponsorship_id"];
            isOneToOne: false;
            referencedRelation: "sponsorships";
            referencedColumns: ["id"];
          },
        ];
      };
      payments: {
        Row: {
          cents: number;
          created_at: string;
          currency: string;
          dispute: string | null;
          dispute_closed_at: string | null;
          disputed_at: string | null;
          disputed_cents: number;
          id: string;
          invoice_id: string | null;
          invoice_number: string | null;
          kind: string;
          order_id: string | null;
          owner: string | null;
          paid_at: string;
          period_from: string | null;
          period_to: string | null;
          plan: string | null;
          reason: string;
          refunded_cents: number;
          subscription_id: string | null;
          tax_cents: number;
        };
        Insert: {
          cents: number;
          created_at?: string;
          currency: string;
          dispute?: string | null;
          dispute_closed_at?: string | null;
          disputed_at?: string | null;
          disputed_cents?: number;
          id: string;
          invoice_id?: string | null;
          invoice_number?: string | null;
          kind: string;
          order_id?: string | null;
          owner?: string | null;
          paid_at: string;
          period_from?: string | null;
          period_to?: string | null;
          plan?: string | null;
          reason: string;
          refunded_cents?: number;
          subscription_id?: string | null;
          tax_cents?: number;
        };
        Update: {
          cents?: number;
          created_at?: string;
          currency?: string;
          dispute?: string | null;
          dispute_closed_at?: string | null;
          disputed_at?: string | null;
          disputed_cents?: number;
          id?: string;
          invoice_id?: string | null;
          invoice_number?: string | null;
          kind?: string;
          order_id?: string | null;
          owner?: string | null;
          paid_at?: string;
          period_from?: string | null;
          period_to?: string | null;
          plan?: string | null;
          reason?: string;
          refunded_cents?: number;
          subscription_id?: string | null;
          tax_cents?: number;
        };
        Relationships: [
          {
            foreignKeyName: "payments_order_id_fkey";
            columns: ["order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "payments_owner_fkey";
            columns: ["owner"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "payments_subscription_id_fkey";
            columns: ["subscription_id"];
            isOneToOne: false;
            referencedRelation: "subscriptions";
            referencedColumns: ["id"];
          },
        ];
      };
      place_stats: {
        Row: {
          favorites: number;
          place_id: number;
          views: number;
        };
        Insert: {
          favorites?: number;
          place_id: number;
          views?: number;
        };
        Update: {
          favorites?: number;
          place_id?: number;
          views?: number;
        };
        Relationships: [
          {
            foreignKeyName: "place_stats_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: true;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
        ];
      };
      place_views: {
        Row: {
          hour: string;
          place_id: number;
          visitor: string;
        };
        Insert: {
          hour: string;
          place_id: number;
          visitor: string;
        };
        Update: {
          hour?: string;
          place_id?: number;
          visitor?: string;
        };
        Relationships: [
          {
            foreignKeyName: "place_views_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: false;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
        ];
      };
      places: {
        Row: {
          address: string | null;
          address_approximate: boolean;
          affiliate: boolean;
          archive_requested: boolean;
          bipocOwned: boolean;
          category: number;
          certified_queer: boolean;
          changes_requested: string | null;
          city: string | null;
          country: string | null;
          created_at: string;
          description: string | null;
          facebook: string | null;
          gender_neutral_bathrooms: boolean;
          hidden: boolean;
          id: number;
          instagram: string | null;
          last_update: Json;
          lat: number | null;
          leads_from: string | null;
          licensed_locations: string[];
          linkedin: string | null;
          long: number | null;
          mailingaddress: string | null;
          masks_required: boolean;
          mission_statement: boolean;
          modified_at: string;
          name: string;
          name_key: string;
          name_search: unknown | null;
          nonprofit: boolean;
          online: boolean;
          online_categories: number[];
          outdoor: boolean;
          owner: string | null;
          owner_email: string | null;
          phone: string | null;
          physicalLocation: boolean;
          postalcode: string | null;
          premium: boolean;
          premium_created_at: string | null;
          proxi_id: string | null;
          public_email: string | null;
          queer_programming: boolean;
          rawaddress: string | null;
          removal_requested_at: string | null;
          state: string | null;
          status: string;
          stripe_cus_id: string | null;
          stripe_subscription_id: string | null;
          submission_id: string | null;
          subscription_ends_at: string | null;
          subscription_status: string | null;
          third_party_auth: boolean;
          tiktok: string | null;
          url: string | null;
          version: number;
          waiting_since: string | null;
          wholesale: boolean;
          wholesale_buyer: boolean;
          xtwitter: string | null;
          youtube: string | null;
        };
        Insert: {
          address?: string | null;
          address_approximate?: boolean;
          affiliate?: boolean;
          archive_requested?: boolean;
          bipocOwned?: boolean;
          category: number;
          certified_queer?: boolean;
          changes_requested?: string | null;
          city?: string | null;
          country?: string | null;
          created_at?: string;
          description?: string | null;
          facebook?: string | null;
          gender_neutral_bathrooms?: boolean;
          hidden?: boolean;
          id?: never;
          instagram?: string | null;
          last_update?: Json;
          lat?: number | null;
          leads_from?: string | null;
          licensed_locations?: string[];
          linkedin?: string | null;
          long?: number | null;
          mailingaddress?: string | null;
          masks_required?: boolean;
          mission_statement?: boolean;
          modified_at?: string;
          name: string;
          name_key?: string;
          name_search?: unknown | null;
          nonprofit?: boolean;
          online?: boolean;
          online_categories?: number[];
          outdoor?: boolean;
          owner?: string | null;
          owner_email?: string | null;
          phone?: string | null;
          physicalLocation?: boolean;
          postalcode?: string | null;
          premium?: boolean;
          premium_created_at?: string | null;
          proxi_id?: string | null;
          public_email?: string | null;
          queer_programming?: boolean;
          rawaddress?: string | null;
          removal_requested_at?: string | null;
          state?: string | null;
          status?: string;
          stripe_cus_id?: string | null;
          stripe_subscription_id?: string | null;
          submission_id?: string | null;
          subscription_ends_at?: string | null;
          subscription_status?: string | null;
          third_party_auth?: boolean;
          tiktok?: string | null;
          url?: string | null;
          version?: number;
          waiting_since?: string | null;
          wholesale?: boolean;
          wholesale_buyer?: boolean;
          xtwitter?: string | null;
          youtube?: string | null;
        };
        Update: {
          address?: string | null;
          address_approximate?: boolean;
          affiliate?: boolean;
          archive_requested?: boolean;
          bipocOwned?: boolean;
          category?: number;
          certified_queer?: boolean;
          changes_requested?: string | null;
          city?: string | null;
          country?: string | null;
          created_at?: string;
          description?: string | null;
          facebook?: string | null;
          gender_neutral_bathrooms?: boolean;
          hidden?: boolean;
          id?: never;
          instagram?: string | null;
          last_update?: Json;
          lat?: number | null;
          leads_from?: string | null;
          licensed_locations?: string[];
          linkedin?: string | null;
          long?: number | null;
          mailingaddress?: string | null;
          masks_required?: boolean;
          mission_statement?: boolean;
          modified_at?: string;
          name?: string;
          name_key?: string;
          name_search?: unknown | null;
          nonprofit?: boolean;
          online?: boolean;
          online_categories?: number[];
          outdoor?: boolean;
          owner?: string | null;
          owner_email?: string | null;
          phone?: string | null;
          physicalLocation?: boolean;
          postalcode?: string | null;
          premium?: boolean;
          premium_created_at?: string | null;
          proxi_id?: string | null;
          public_email?: string | null;
          queer_programming?: boolean;
          rawaddress?: string | null;
          removal_requested_at?: string | null;
          state?: string | null;
          status?: string;
          stripe_cus_id?: string | null;
          stripe_subscription_id?: string | null;
          submission_id?: string | null;
          subscription_ends_at?: string | null;
          subscription_status?: string | null;
          third_party_auth?: boolean;
          tiktok?: string | null;
          url?: string | null;
          version?: number;
          waiting_since?: string | null;
          wholesale?: boolean;
          wholesale_buyer?: boolean;
          xtwitter?: string | null;
          youtube?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "places_category_fkey";
            columns: ["category"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "places_owner_fkey";
            columns: ["owner"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      profiles: {
        Row: {
          admin: boolean;
          business_owner: boolean;
          created_at: string;
          discreet: boolean;
          email: string | null;
          email_search: unknown | null;
          full_name: string | null;
          full_name_search: unknown | null;
          id: string;
          modified_at: string;
          opted_in: boolean;
          phone: string | null;
          postalcode: string | null;
          pronouns: string | null;
          sms_opted_in: boolean;
          stripe_customer_id: string | null;
          supporter: boolean;
        };
        Insert: {
          admin?: boolean;
          business_owner?: boolean;
          created_at?: string;
          discreet?: boolean;
          email?: string | null;
          email_search?: never;
          full_name?: string | null;
          full_name_search?: never;
          id: string;
          modified_at?: string;
          opted_in?: boolean;
          phone?: string | null;
          postalcode?: string | null;
          pronouns?: string | null;
          sms_opted_in?: boolean;
          stripe_customer_id?: string | null;
          supporter?: boolean;
        };
        Update: {
          admin?: boolean;
          business_owner?: boolean;
          created_at?: string;
          discreet?: boolean;
          email?: string | null;
          email_search?: never;
          full_name?: string | null;
          full_name_search?: never;
          id?: string;
          modified_at?: string;
          opted_in?: boolean;
          phone?: string | null;
          postalcode?: string | null;
          pronouns?: string | null;
          sms_opted_in?: boolean;
          stripe_customer_id?: string | null;
          supporter?: boolean;
        };
        Relationships: [];
      };
      rate_limits: {
        Row: {
          bucket: string;
          hits: number;
          resets_at: string;
        };
        Insert: {
          bucket: string;
          hits: number;
          resets_at: string;
        };
        Update: {
          bucket?: string;
          hits?: number;
          resets_at?: string;
        };
        Relationships: [];
      };
      refunds: {
        Row: {
          attempt: number;
          cents: number;
          created_at: string;
          failed_at: string | null;
          id: string;
          made_at: string | null;
          modified_at: string;
          note: string | null;
          payment_id: string;
          reason: string;
          requested_by: string | null;
          status: string;
          stripe_id: string | null;
        };
        Insert: {
          attempt?: number;
          cents: number;
          created_at?: string;
          failed_at?: string | null;
          id?: string;
          made_at?: string | null;
          modified_at?: string;
          note?: string | null;
          payment_id: string;
          reason: string;
          requested_by?: string | null;
          status?: string;
          stripe_id?: string | null;
        };
        Update: {
          attempt?: number;
          cents?: number;
          created_at?: string;
          failed_at?: string | null;
          id?: string;
          made_at?: string | null;
          modified_at?: string;
          note?: string | null;
          payment_id?: string;
          reason?: string;
          requested_by?: string | null;
          status?: string;
          stripe_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "refunds_payment_id_fkey";
            columns: ["payment_id"];
            isOneToOne: false;
            referencedRelation: "payments";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "refunds_requested_by_fkey";
            columns: ["requested_by"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      rejected_edits: {
        Row: {
          edit: Json;
          place_id: number;
          reason: string | null;
          rejected_at: string;
        };
        Insert: {
          edit: Json;
          place_id: number;
          reason?: string | null;
          rejected_at?: string;
        };
        Update: {
          edit?: Json;
          place_id?: number;
          reason?: string | null;
          rejected_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "rejected_edits_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: true;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
        ];
      };
      saved_views: {
        Row: {
          created_at: string;
          filter: Json;
          id: number;
          name: string;
          owner: string;
        };
        Insert: {
          created_at?: string;
          filter: Json;
          id?: never;
          name: string;
          owner?: string;
        };
        Update: {
          created_at?: string;
          filter?: Json;
          id?: never;
          name?: string;
          owner?: string;
        };
        Relationships: [
          {
            foreignKeyName: "saved_views_owner_fkey";
            columns: ["owner"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
        ];
      };
      sponsorship_dates: {
        Row: {
          blocked: boolean;
          held_count: number;
          paid_count: number;
          weekday_date: string;
        };
        Insert: {
          blocked?: boolean;
          held_count?: number;
          paid_count?: number;
          weekday_date: string;
        };
        Update: {
          blocked?: boolean;
          held_count?: number;
          paid_count?: number;
          weekday_date?: string;
        };
        Relationships: [];
      };
      sponsorship_spots: {
        Row: {
          held_until: string | null;
          sponsorship_id: number;
          weekday_date: string;
        };
        Insert: {
          held_until?: string | null;
          sponsorship_id: number;
          weekday_date: string;
        };
        Update: {
          held_until?: string | null;
          sponsorship_id?: number;
          weekday_date?: string;
        };
        Relationships: [
          {
            foreignKeyName: "sponsorship_spots_sponsorship_id_fkey";
            columns: ["sponsorship_id"];
            isOneToOne: false;
            referencedRelation: "sponsorships";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "sponsorship_spots_weekday_date_fkey";
            columns: ["weekday_date"];
            isOneToOne: false;
            referencedRelation: "sponsorship_dates";
            referencedColumns: ["weekday_date"];
          },
        ];
      };
      sponsorships: {
        Row: {
          created_at: string;
          id: number;
          link: string | null;
          location: string | null;
          modified_at: string;
          order_total: number | null;
          owner: string | null;
          paid: boolean;
          photo_location: string | null;
          place_id: number;
          promo_text: string;
          rate: number;
          sponsorship_dates: string[];
          submission_id: string | null;
          version: number;
        };
        Insert: {
          created_at?: string;
          id?: never;
          link?: string | null;
          location?: string | null;
          modified_at?: string;
          order_total?: never;
          owner?: string | null;
          paid?: boolean;
          photo_location?: string | null;
          place_id: number;
          promo_text: string;
          rate?: number;
          sponsorship_dates?: string[];
          submission_id?: string | null;
          version?: number;
        };
        Update: {
          created_at?: string;
          id?: never;
          link?: string | null;
          location?: string | null;
          modified_at?: string;
          order_total?: never;
          owner?: string | null;
          paid?: boolean;
          photo_location?: string | null;
          place_id?: number;
          promo_text?: string;
          rate?: number;
          sponsorship_dates?: string[];
          submission_id?: string | null;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "sponsorships_owner_fkey";
            columns: ["owner"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "sponsorships_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: false;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
        ];
      };
      stripe_events: {
        Row: {
          created_at: string;
          id: string;
          object_id: string | null;
          received_at: string;
          type: string;
        };
        Insert: {
          created_at: string;
          id: string;
          object_id?: string | null;
          received_at?: string;
          type: string;
        };
        Update: {
          created_at?: string;
          id?: string;
          object_id?: string | null;
          received_at?: string;
          type?: string;
        };
        Relationships: [];
      };
      subscriptions: {
        Row: {
          awaits_payment: boolean;
          canceled_at: string | null;
          cents: number | null;
          created_at: string;
          credit_cents: number;
          ends_at: string | null;
          id: string;
          modified_at: string;
          months: number | null;
          next_attempt_at: string | null;
          order_id: string | null;
          owner: string | null;
          period_from: string | null;
          period_to: string | null;
          place_id: number;
          plan: string | null;
          plus_tax: boolean;
          seen: number;
          started_at: string;
          status: string;
          stripe_customer_id: string;
          surplus: boolean;
        };
        Insert: {
          awaits_payment?: boolean;
          canceled_at?: string | null;
          cents?: number | null;
          created_at?: string;
          credit_cents?: number;
          ends_at?: string | null;
          id: string;
          modified_at?: string;
          months?: number | null;
          next_attempt_at?: string | null;
          order_id?: string | null;
          owner?: string | null;
          period_from?: string | null;
          period_to?: string | null;
          place_id: number;
          plan?: string | null;
          plus_tax?: boolean;
          seen?: number;
          started_at: string;
          status: string;
          stripe_customer_id: string;
          surplus?: boolean;
        };
        Update: {
          awaits_payment?: boolean;
          canceled_at?: string | null;
          cents?: number | null;
          created_at?: string;
          credit_cents?: number;
          ends_at?: string | null;
          id?: string;
          modified_at?: string;
          months?: number | null;
          next_attempt_at?: string | null;
          order_id?: string | null;
          owner?: string | null;
          period_from?: string | null;
          period_to?: string | null;
          place_id?: number;
          plan?: string | null;
          plus_tax?: boolean;
          seen?: number;
          started_at?: string;
          status?: string;
          stripe_customer_id?: string;
          surplus?: boolean;
        };
        Relationships: [
          {
            foreignKeyName: "subscriptions_order_id_fkey";
            columns: ["order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "subscriptions_owner_fkey";
            columns: ["owner"];
            isOneToOne: false;
            referencedRelation: "profiles";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "subscriptions_place_id_fkey";
            columns: ["place_id"];
            isOneToOne: false;
            referencedRelation: "places";
            referencedColumns: ["id"];
          },
        ];
      };
    };
    Views: {
      managed_places: {
        Row: {
          address: string | null;
          address_approximate: boolean | null;
          affiliate: boolean | null;
          archive_requested: boolean | null;
          bipocOwned: boolean | null;
          category: number | null;
          certified_queer: boolean | null;
          changes_requested: string | null;
          city: string | null;
          country: string | null;
          created_at: string | null;
          description: string | null;
          facebook: string | null;
          gender_neutral_bathrooms: boolean | null;
          hidden: boolean | null;
          id: number | null;
          instagram: string | null;
          last_update: Json | null;
          lat: number | null;
          licensed_locations: string[] | null;
          linkedin: string | null;
          long: number | null;
          mailingaddress: string | null;
          masks_required: boolean | null;
          mission_statement: boolean | null;
          modified_at: string | null;
          name: string | null;
          nonprofit: boolean | null;
          online: boolean | null;
          online_categories: number[] | null;
          outdoor: boolean | null;
          owner: string | null;
          phone: string | null;
          physicalLocation: boolean | null;
          postalcode: string | null;
          premium: boolean | null;
          proxi_id: string | null;
          public_email: string | null;
          queer_programming: boolean | null;
          rawaddress: string | null;
          state: string | null;
          status: string | null;
          third_party_auth: boolean | null;
          tiktok: string | null;
          url: string | null;
          version: number | null;
          wholesale: boolean | null;
          wholesale_buyer: boolean | null;
          xtwitter: string | null;
          youtube: string | null;
        };
        Relationships: [];
      };
      places_with_stats: {
        Row: {
          archive_requested: boolean;
          category: number;
          changes_requested: string | null;
          city: string | null;
          created_at: string;
          favoritescount: number | null;
          hidden: boolean;
          id: number;
          last_update: Json;
          modified_at: string;
          name: string;
          name_search: unknown | null;
          owner: string | null;
          owner_email: string | null;
          premium: boolean;
          premium2: boolean | null;
          proxi_id: string | null;
          state: string | null;
          status: string;
          stripe_cus_id: string | null;
          subscription_status: string | null;
          user_count_by_distance: number | null;
          version: number;
          views: number | null;
          weekly_views: number[] | null;
        };
        Relationships: [];
      };
      public_jobs: {
        Row: {
          ally_owned: boolean | null;
          ally_safety: string | null;
          category: number | null;
          category_name: string | null;
          city: string | null;
          company_bio: string | null;
          company_name: string | null;
          contract: boolean | null;
          description: string | null;
          expiration_date: string | null;
          full_time: boolean | null;
          id: number | null;
          location: string[] | null;
          part_time: boolean | null;
          pay_range: string | null;
          place_id: number | null;
          queer_owned: boolean | null;
          remote: boolean | null;
          title: string | null;
          url: string | null;
        };
        Relationships: [];
      };
      public_places: {
        Row: {
          address: string | null;
          address_approximate: boolean;
          affiliate: boolean;
          bipocOwned: boolean;
          category: number;
          certified_queer: boolean;
          city: string | null;
          country: string | null;
          description: string | null;
          facebook: string | null;
          gender_neutral_bathrooms: boolean;
          id: number;
          instagram: string | null;
          lat: number | null;
          licensed_locations: string[];
          linkedin: string | null;
          long: number | null;
          masks_required: boolean;
          mission_statement: boolean;
          name: string;
          nonprofit: boolean;
          online: boolean;
          online_categories: number[];
          outdoor: boolean;
          phone: string | null;
          physicalLocation: boolean;
          postalcode: string | null;
          premium: boolean;
          proxi_id: string | null;
          public_email: string | null;
          queer_programming: boolean;
          state: string | null;
          tiktok: string | null;
          url: string | null;
          wholesale: boolean;
          wholesale_buyer: boolean;
          xtwitter: string | null;
          youtube: string | null;
        };
        Relationships: [];
      };
    };
    Functions: {
      accept_invitation: {
        Args: { token: string };
        Returns: Json;
      };
      address_of_link: {
        Args: { token_hash: string };
        Returns: string;
      };
      admin_audit: {
        Args: { filter?: Json; after?: string; before?: string; page_rows?: number };
        Returns: Json;
      };
      admin_delete_user: {
        Args: { userid: string };
        Returns: boolean;
      };
      admin_feedback: {
        Args: { archived?: boolean; after?: string; before?: string; page_rows?: number };
        Returns: Json;
      };
      admin_ledger: {
        Args: { since: string; until: string; skip: number; max_rows: number };
        Returns: { at: string; type: string; cents: number; currency: string; payment_id: string; refund_id: string; invoice_number: string; order_id: string; kind: string; reason: string; item_name: string; tax_cents: number }[];
      };
      admin_order: {
        Args: { order_id: string };
        Returns: Json;
      };
      admin_reports: {
        Args: { state?: string; after?: string; before?: string; page_rows?: number };
        Returns: Json;
      };
      admin_second_steps: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      admin_user: {
        Args: { user_id: string };
        Returns: Json;
      };
      admin_users: {
        Args: { name?: string; email?: string; after?: string; before?: string; page_rows?: number };
        Returns: Json;
      };
      archive_feedback: {
        Args: { ids: number[]; archived: boolean };
        Returns: Json;
      };
      begin_account_deletion: {
        Args: { user_id: string };
        Returns: boolean;
      };
      begin_sign_up: {
        Args: { email: string };
        Returns: string;
      };
      block_newsletters: {
        Args: { days: string[]; blocked: boolean };
        Returns: undefined;
      };
      cancel_account_deletion: {
        Args: Record<PropertyKey, never>;
        Returns: undefined;
      };
      cancel_sponsorship_dates: {
        Args: { sponsorship_id: number; dates: string[] };
        Returns: string;
      };
      cancellation_days: {
        Args: { sponsorship_id?: number };
        Returns: number;
      };
      create_decision_batch: {
        Args: { batch: string; items?: Json; filter?: Json };
        Returns: Json;
      };
      create_recovery_codes: {
        Args: Record<PropertyKey, never>;
        Returns: string[];
      };
      decide_listings: {
        Args: { batch: string; action: string; reason?: string; items?: Json };
        Returns: Json;
      };
      delete_unconfirmed_accounts: {
        Args: { email?: string };
        Returns: number;
      };
      deletion_effects: {
        Args: { user_id: string };
        Returns: Json;
      };
      due_deletions: {
        Args: { max_users?: number };
        Returns: string[];
      };
      enqueue_account_email: {
        Args: { address: string; kind: string; key: string; data: Json };
        Returns: boolean;
      };
      enqueue_expiring_job_emails: {
        Args: Record<PropertyKey, never>;
        Returns: undefined;
      };
      enqueue_renewal_notices: {
        Args: Record<PropertyKey, never>;
        Returns: undefined;
      };
      erase_due_account: {
        Args: { user_id: string };
        Returns: boolean;
      };
      export_listings: {
        Args: { filter?: Json; after?: string; page_rows?: number; entry?: number };
        Returns: Json;
      };
      export_my_data: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      export_users: {
        Args: { entry?: number; name?: string; email?: string; after?: string; page_rows?: number };
        Returns: Json;
      };
      forget_sign_ins: {
        Args: Record<PropertyKey, never>;
        Returns: boolean;
      };
      get_available_sponsorship_dates: {
        Args: { weeks?: number };
        Returns: { weekday_date: string; day_of_week: string; sponsorship_count: number }[];
      };
      get_jobs_counts: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      get_listing_managers: {
        Args: { place_id: number };
        Returns: Json;
      };
      get_owner_leads: {
        Args: Record<PropertyKey, never>;
        Returns: { id: number; created_at: string; requester_name: string; requester_email: string; message: string; place_id: number; place_name: string; state: string; notes: string; version: number }[];
      };
      get_places_counts: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      get_user_count_by_distance: {
        Args: { place_id: number };
        Returns: number;
      };
      get_user_counts: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      installed_migrations: {
        Args: Record<PropertyKey, never>;
        Returns: string[];
      };
      invitation_offer: {
        Args: { token: string };
        Returns: Json;
      };
      invite_manager: {
        Args: { invitation: string; place_id: number; email: string; token: string };
        Returns: undefined;
      };
      issue_handoff_code: {
        Args: Record<PropertyKey, never>;
        Returns: string;
      };
      jobs_page: {
        Args: { all_owners?: boolean; search?: string; state?: string; after?: number; before?: number; page_rows?: number };
        Returns: Json;
      };
      lease_emails: {
        Args: { max_emails: number };
        Returns: { id: string; kind: string; data: Json; attempts: number; email: string; full_name: string; user_id: string; discreet: boolean }[];
      };
      leave_listing: {
        Args: { place_id: number };
        Returns: boolean;
      };
      lift_session_limit: {
        Args: { session_id: string };
        Returns: boolean;
      };
      lock_listing_for_review: {
        Args: { id: number; take_over?: boolean };
        Returns: Json;
      };
      lock_next_listing_for_review: {
        Args: { filter?: Json; after?: string; leaving?: number; approvable?: boolean };
        Returns: Json;
      };
      log_plan_end: {
        Args: { order_id: string };
        Returns: boolean;
      };
      mark_email_failed: {
        Args: { id: string; permanent?: boolean };
        Returns: undefined;
      };
      mark_email_sent: {
        Args: { id: string };
        Returns: undefined;
      };
      my_counts: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      my_dashboard: {
        Args: { search?: string; show?: string; page?: number; page_rows?: number };
        Returns: Json;
      };
      my_deletion: {
        Args: Record<PropertyKey, never>;
        Returns: string;
      };
      my_first_months: {
        Args: Record<PropertyKey, never>;
        Returns: number[];
      };
      my_home: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      my_leads: {
        Args: { listing?: number; wanted?: string; after?: number; before?: number; page_rows?: number };
        Returns: Json;
      };
      my_listings: {
        Args: { search?: string; after?: number; before?: number; page_rows?: number; needing?: boolean };
        Returns: Json;
      };
      my_plan: {
        Args: { place_id: number };
        Returns: Json;
      };
      my_plans_of_others: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      my_purchases: {
        Args: Record<PropertyKey, never>;
        Returns: { id: string; order_id: string; kind: string; reason: string; item_name: string; item_dates: string[]; plan: string; place_id: number; cents: number; tax_cents: number; refunded_cents: number; currency: string; invoice_number: string; period_from: string; period_to: string; paid_at: string; dispute: string; refunds: Json }[];
      };
      my_second_step: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      my_sent_leads: {
        Args: Record<PropertyKey, never>;
        Returns: { id: number; created_at: string; place_id: number; requester_name: string; requester_email: string; message: string }[];
      };
      my_sent_reports: {
        Args: Record<PropertyKey, never>;
        Returns: { id: number; created_at: string; place: number; data: Json; state: string }[];
      };
      my_session: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      open_order: {
        Args: { buyer: string; kind: string; item_id: number; plan?: string; unit_price_cents?: number; coupon?: string; renew?: boolean; days?: number; checked?: string[] };
        Returns: Json;
      };
      payment_target: {
        Args: { event_id?: string; order_id?: string; session_id?: string; subscription_id?: string; payment_intent_id?: string };
        Returns: Json;
      };
      plans_to_cancel: {
        Args: Record<PropertyKey, never>;
        Returns: { id: string; renewed: boolean }[];
      };
      plans_to_stop: {
        Args: Record<PropertyKey, never>;
        Returns: string[];
      };
      preview_job: {
        Args: { job_id: number };
        Returns: Json;
      };
      preview_payment: {
        Args: { order_id: string; subscription_id: string; seen: number; facts: Json };
        Returns: Json;
      };
      queue_lengths: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      rate_limit_reached: {
        Args: { bucket: string; max_hits: number };
        Returns: boolean;
      };
      recognize_sign_up: {
        Args: { token_hash: string; proof: string };
        Returns: boolean;
      };
      record_checkout_session: {
        Args: { order_id: string; attempt: number; session_id: string; customer_id: string };
        Returns: boolean;
      };
      record_payment: {
        Args: { order_id: string; subscription_id: string; seen: number; facts: Json; event?: Json };
        Returns: Json;
      };
      record_place_view: {
        Args: { place_id: number };
        Returns: undefined;
      };
      redeem_handoff_code: {
        Args: { code: string };
        Returns: Json;
      };
      refund_late_renewals: {
        Args: { subscription: string };
        Returns: boolean;
      };
      release_review_lock: {
        Args: { id: number };
        Returns: boolean;
      };
      release_sponsorship_dates: {
        Args: { sponsorship_id: number };
        Returns: undefined;
      };
      remove_manager: {
        Args: { place_id: number; user_id: string };
        Returns: boolean;
      };
      request_my_deletion: {
        Args: Record<PropertyKey, never>;
        Returns: string;
      };
      request_refund: {
        Args: { order_id: string; payment_id: string; cents: number; currency: string; note: string; refund_id?: string; left_cents?: number };
        Returns: string;
      };
      require_second_step_of_admins: {
        Args: { mandatory: boolean };
        Returns: undefined;
      };
      restore_sign_up: {
        Args: { user_id: string; proof: string };
        Returns: boolean;
      };
      retry_refund: {
        Args: { refund_id: string; max_attempts?: number };
        Returns: boolean;
      };
      return_rate_token: {
        Args: { bucket: string };
        Returns: undefined;
      };
      reveal_contact: {
        Args: { user_id: string };
        Returns: Json;
      };
      review_batch: {
        Args: { batch: string; action?: string; reason?: string; skip?: number; page_rows?: number };
        Returns: Json;
      };
      review_dashboard: {
        Args: Record<PropertyKey, never>;
        Returns: Json;
      };
      review_listing: {
        Args: { id: number; filter?: Json };
        Returns: Json;
      };
      review_listings: {
        Args: { filter?: Json; after?: string; before?: string; page_rows?: number; also?: Json };
        Returns: Json;
      };
      save_my_profile: {
        Args: { opted_in: boolean; sms_opted_in: boolean; text_version: string; page: string; full_name?: string; phone?: string; pronouns?: string; postalcode?: string; lat?: number; long?: number };
        Returns: undefined;
      };
      search_users: {
        Args: { words: string; page_rows?: number };
        Returns: { id: string; full_name: string; email: string; pronouns: string; created_at: string; confirmed: boolean; has_address: boolean }[];
      };
      set_cancellation_days: {
        Args: { days: number };
        Returns: undefined;
      };
      set_consent: {
        Args: { channel: string; granted: boolean; text_version: string; page: string };
        Returns: undefined;
      };
      set_my_position: {
        Args: { lat: number; long: number };
        Returns: undefined;
      };
      set_tracking_consent: {
        Args: { granted: boolean; text_version: string; page: string };
        Returns: undefined;
      };
      start_export: {
        Args: { what: string; about?: Json };
        Returns: number;
      };
      take_account_email: {
        Args: { email: string; purpose: string };
        Returns: boolean;
      };
      take_rate_token: {
        Args: { bucket: string; max_hits: number; window_seconds: number };
        Returns: number;
      };
      target_of_link: {
        Args: { token_hash: string };
        Returns: Json;
      };
      tie_handed_over_session: {
        Args: { session_id: string; issued_by: string };
        Returns: boolean;
      };
      turn_off_second_step: {
        Args: Record<PropertyKey, never>;
        Returns: undefined;
      };
      undo_decisions: {
        Args: { batch: string };
        Returns: Json;
      };
      unprotected_relations: {
        Args: Record<PropertyKey, never>;
        Returns: string[];
      };
      unsubscribe_from_emails: {
        Args: { user_id: string; kind: string };
        Returns: undefined;
      };
      update_reports: {
        Args: { ids: number[]; to_state: string; note?: string; flag?: boolean; listings?: Json };
        Returns: Json;
      };
      update_sign_up: {
        Args: { email: string; sent: Json };
        Returns: boolean;
      };
      use_recovery_code: {
        Args: { code: string };
        Returns: Json;
      };
      withdraw_invitation: {
        Args: { invitation: string };
        Returns: boolean;
      };
    };
    Enums: Record<never, never>;
    CompositeTypes: Record<never, never>;
  };
};
